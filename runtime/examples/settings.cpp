// SPDX-License-Identifier: Apache-2.0
// A library that computes on whatever the process may use, but does not spin while it waits: other
// programs on this machine need the cores. And the machine of calls that name none.
#include <cstdio>
#include <vector>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/shared_list.hpp>
#include <pleat/runtime/wait_policy.hpp>

namespace {

// Passes every VP's number on to its neighbour, around the whole ring.
pleat::task<> pass_round(pleat::vp& me, std::size_t& number) {
  number = me.rank();
  for (std::size_t step = 0; step < me.size(); ++step) {
    me.send((me.rank() + 1) % me.size(), number);
    co_await me.sync(0);
    number = me.receive()->get<std::size_t>();
  }
}

std::size_t at_home(pleat::machine& on) {
  std::vector<std::size_t> numbers(64);
  const pleat::run_report report =
      on.run(numbers.size(), [&](pleat::vp& me) { return pass_round(me, numbers[me.rank()]); });
  double waiting = 0;
  const pleat::shared_list<pleat::processor_times> times = report.times;  // nothing is copied
  for (const pleat::processor_times& one : times) waiting += one.waiting;
  std::printf("%llu messages on %u processors, %.0f us waited\n",
              static_cast<unsigned long long>(report.messages), report.processors, waiting * 1e6);
  std::size_t right = 0;
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) right += numbers[rank] == rank;
  return right;
}

}  // namespace

int main() {
  pleat::machine polite({.wait = pleat::parse_wait_policy("park")});
  const std::size_t first = at_home(polite);
  pleat::default_machine shared;  // ours until the end of the block
  const std::size_t second = at_home(*shared);
  return first == 64 && second == 64 ? 0 : 1;
}
