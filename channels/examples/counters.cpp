// SPDX-License-Identifier: Apache-2.0
// Threads that count events, each in memory of its own. Counters on one cache line would slow each
// other down although no thread looks at another's.
#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

#include <pleat/channels/cache_aligned_allocator.hpp>
#include <pleat/channels/cache_line.hpp>

namespace {

// A counter that shares its cache lines with nothing else.
struct alignas(pleat::destructive_distance) counter {
  std::uint64_t events = 0;
};

using histogram = std::vector<std::uint32_t, pleat::cache_aligned_allocator<std::uint32_t>>;

}  // namespace

int main() {
  constexpr std::size_t threads = 4, numbers = 100'000, classes = 10;
  std::vector<counter> even(threads);
  std::vector<histogram> digits(threads, histogram(classes));
  {
    std::vector<std::jthread> team;
    for (std::size_t me = 0; me < threads; ++me) {
      team.emplace_back([&, me] {
        for (std::size_t n = me; n < numbers; n += threads) {
          if (n % 2 == 0) ++even[me].events;
          ++digits[me][n % classes];
        }
      });
    }
  }

  std::uint64_t all_even = 0, all = 0;
  for (const counter& one : even) all_even += one.events;
  for (const histogram& one : digits)
    for (const std::uint32_t count : one) all += count;
  std::cout << all_even << " even numbers of " << all << "; a counter has "
            << sizeof(counter) / pleat::cache_line << " cache lines\n";
  return all == numbers && all_even == numbers / 2 ? 0 : 1;
}
