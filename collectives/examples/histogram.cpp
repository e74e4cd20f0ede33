// SPDX-License-Identifier: Apache-2.0
// A histogram that is too large for one: each virtual processor counts its own numbers, each then
// has a part of the summed histogram, and all learn which class is the fullest.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

constexpr std::size_t classes_each = 64;

struct peak {
  std::uint64_t count;
  std::uint64_t in;  // the class
};

pleat::task<> find_peak(pleat::vp& me, std::span<const std::uint32_t> numbers, peak& result) {
  std::vector<std::uint64_t> mine(classes_each * me.size()), part(classes_each);
  for (const std::uint32_t x : numbers) ++mine[x % mine.size()];
  co_await pleat::reduce_scatter(me, mine, part, std::plus<>{});

  const auto fullest = std::ranges::max_element(part);
  const peak own[1] = {
      {*fullest, me.rank() * classes_each + static_cast<std::uint64_t>(fullest - part.begin())}};
  std::vector<peak> peaks(me.size());
  co_await pleat::all_gather(me, own, peaks);
  result = *std::ranges::max_element(peaks, {}, &peak::count);
}

}  // namespace

int main() {
  constexpr std::size_t vps = 4;
  std::vector<std::vector<std::uint32_t>> numbers(vps);
  for (std::uint32_t i = 0; i < 40'000; ++i) numbers[i % vps].push_back(i % 11 == 0 ? 200 : i);

  std::vector<peak> results(vps);
  pleat::machine machine;
  machine.run(vps,
              [&](pleat::vp& me) { return find_peak(me, numbers[me.rank()], results[me.rank()]); });
  std::printf("class %llu has %llu numbers\n", static_cast<unsigned long long>(results[0].in),
              static_cast<unsigned long long>(results[0].count));
  return std::ranges::all_of(results,
                             [](const peak& one) { return one.in == 200 && one.count >= 3637; })
             ? 0
             : 1;
}
