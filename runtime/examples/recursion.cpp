// SPDX-License-Identifier: Apache-2.0
// The maximum of an array by halves: a segment of virtual processors divides into two, each finds
// the maximum of its half, and their first ones compare. Where one VP is left, a loop does it.
#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>

namespace {

// Leaves the maximum in `most` of the segment's first VP.
pleat::task<> maximum(pleat::vp& me, pleat::segment in, std::span<const int> numbers, int& most) {
  if (in.size == 1) {
    most = *std::ranges::max_element(numbers);
    co_return;
  }
  const pleat::division mine = in.divide(2, me.rank());
  const std::size_t half = numbers.size() / 2;
  pleat::task<> found =
      maximum(me, mine.part, numbers.subspan(mine.first_problem * half, half), most);
  co_await found;
  if (me.rank() == in.first + in.size / 2) me.send(in.first, most);
  co_await me.sync(in.label);  // of this segment alone: others need not wait
  if (auto other = me.receive()) most = std::max(most, other->get<int>());
}

}  // namespace

int main() {
  std::vector<int> numbers(1 << 16);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 65521);
  std::vector<int> most(64);

  pleat::machine machine;
  machine.run(most.size(),
              [&](pleat::vp& me) { return maximum(me, me.all(), numbers, most[me.rank()]); });
  std::printf("the greatest of %zu numbers is %d\n", numbers.size(), most[0]);
  return most[0] == *std::ranges::max_element(numbers) ? 0 : 1;
}
