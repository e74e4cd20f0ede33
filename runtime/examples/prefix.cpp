// SPDX-License-Identifier: Apache-2.0
// Prefix sums by Hillis and Steele: one source, run with one number per virtual processor.
#include <cstdio>
#include <vector>

#include <pleat/runtime/machine.hpp>

pleat::task<> prefix(pleat::vp& me, long& x) {
  for (std::size_t d = 1; d < me.size(); d *= 2) {
    if (me.rank() + d < me.size()) me.send(me.rank() + d, x);
    co_await me.sync(0);
    if (auto m = me.receive()) x += m->get<long>();
  }
}

int main() {
  std::vector<long> data(1 << 16, 1);
  pleat::machine machine;  // every core this process may use
  const pleat::run_report report =
      machine.run(data.size(), [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
  std::printf("sum %ld, %zu virtual processors on %u processors, %llu supersteps, %llu messages\n",
              data.back(), report.vps, report.processors,
              static_cast<unsigned long long>(report.supersteps[0]),
              static_cast<unsigned long long>(report.messages));
  return data.back() == 1 << 16 ? 0 : 1;
}
