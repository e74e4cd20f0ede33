// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iostream>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace {

pleat::task<> prefix(pleat::vp& me, long& x) {
  for (std::size_t d = 1; d < me.size(); d *= 2) {
    if (me.rank() + d < me.size()) me.send(me.rank() + d, x);
    co_await me.sync(0);
    if (auto m = me.receive()) x += m->get<long>();
  }
}

}  // namespace

int main() {
  pleat::machine machine;
  std::vector<long> data(256, 1);
  machine.run(data.size(), [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] != static_cast<long>(i) + 1) return 1;
  }

  // Exceptions cross the library's boundary as the types its headers declare.
  try {
    pleat::machine none(pleat::machine_options{.processors = 0});
    return 1;
  } catch (const pleat::usage_error& refusal) {
    std::cout << "runtime: " << data.back() << " sums; 0 processors: " << refusal.what() << '\n';
  }
}
