// SPDX-License-Identifier: Apache-2.0
// An application with threads of its own, which are to do a machine's work as well: the machine
// makes no thread and moves none.
#include <cstdio>
#include <thread>
#include <vector>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/workers.hpp>

namespace {

// Prefix sums of one number a virtual processor, by Hillis and Steele.
pleat::task<> prefix(pleat::vp& me, long& x) {
  for (std::size_t d = 1; d < me.size(); d *= 2) {
    if (me.rank() + d < me.size()) me.send(me.rank() + d, x);
    co_await me.sync(0);
    if (auto m = me.receive()) x += m->get<long>();
  }
}

}  // namespace

int main() {
  pleat::machine on({.processors = 3, .workers = pleat::workers::borrowed});
  std::vector<std::thread> threads;
  bool right = true;
  {
    const pleat::machine::gathering open(on);
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { on.join(); });
    for (int run = 0; run < 100; ++run) {  // by this thread and whoever has come by then
      std::vector<long> data(1000, 1);
      on.run(data.size(), [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
      right = right && data.front() == 1 && data.back() == 1000;
    }
    std::printf("%u threads in the last run\n", on.threads());
  }
  for (std::thread& one : threads) one.join();  // they have left join() when the gathering ended
  return right ? 0 : 1;
}
