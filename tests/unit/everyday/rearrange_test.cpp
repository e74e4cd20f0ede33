// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/rearrange.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace rearrange_test {

TEST(reverse, turns_a_range_round) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::deque<std::size_t> x(n);
    std::iota(x.begin(), x.end(), std::size_t{0});
    ASSERT_EQ(pleat::reverse(machine, x, with(vps)), x.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], n - 1 - i);
  });
}

TEST(rotate, puts_the_middle_first) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const std::size_t middle : {std::size_t{0}, std::min<std::size_t>(1, n), n / 3, n}) {
      std::vector<std::unique_ptr<std::size_t>> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = std::make_unique<std::size_t>(i);
      const auto old_first = pleat::rotate(machine, x, middle, with(vps));
      ASSERT_EQ(static_cast<std::size_t>(old_first - x.begin()), n - middle);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(*x[i], (i + middle) % n);
    }
  });
}

TEST(rearrange, runs_on_the_default_machine) {
  std::vector<std::size_t> x(large);
  std::iota(x.begin(), x.end(), std::size_t{0});
  pleat::rotate(x, 5);
  pleat::reverse(x);
  for (std::size_t i = 0; i < large; ++i) ASSERT_EQ(x[i], (2 * large - 1 - i + 5) % large);
}

std::vector<std::size_t> numbers(std::size_t n) {
  std::vector<std::size_t> x(n);
  std::iota(x.begin(), x.end(), std::size_t{0});
  return x;
}

TEST(random_shuffle, is_a_permutation_that_depends_on_the_seed_alone) {
  auto machine = strict_machine(3);
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 65536u, 65537u, 300000u}) {
    auto first = numbers(n);
    pleat::random_shuffle(machine, first, 7);
    auto sorted = first;
    std::ranges::sort(sorted);
    ASSERT_EQ(sorted, numbers(n));
    for (const std::size_t vps : vp_counts) {
      auto x = numbers(n);
      pleat::random_shuffle(machine, x, 7, with(vps));
      ASSERT_EQ(x, first) << n << ' ' << vps;
    }
    auto other = numbers(n);
    pleat::random_shuffle(machine, other, 8);
    if (n > 2) {
      ASSERT_NE(other, first);
    }
  }
}

TEST(random_shuffle, moves_values_that_cannot_be_copied) {
  auto machine = strict_machine(2);
  std::deque<std::unique_ptr<std::size_t>> x;
  for (std::size_t i = 0; i < 70000; ++i) x.push_back(std::make_unique<std::size_t>(i));
  pleat::random_shuffle(machine, x, 1, with(5));
  auto same = numbers(70000);
  pleat::random_shuffle(machine, same, 1);
  for (std::size_t i = 0; i < 70000; ++i) ASSERT_EQ(*x[i], same[i]);
}

TEST(random_shuffle, all_orders_of_three_are_as_likely) {
  std::array<int, 27> seen{};
  constexpr int tries = 60000;
  for (int seed = 0; seed < tries; ++seed) {
    std::array<int, 3> x{0, 1, 2};
    pleat::random_shuffle(x, static_cast<std::uint64_t>(seed));
    ++seen[static_cast<std::size_t>(9 * x[0] + 3 * x[1] + x[2])];
  }
  double chi = 0;
  int orders = 0;
  for (const int times : seen) {
    if (times == 0) continue;
    ++orders;
    const double off = times - tries / 6.0;
    chi += off * off / (tries / 6.0);
  }
  EXPECT_EQ(orders, 6);
  EXPECT_LT(chi, 25) << "five degrees of freedom: more in one of 7000 cases";
}

TEST(random_shuffle, large_ranges_are_spread_evenly) {
  constexpr std::size_t n = std::size_t{1} << 18;
  constexpr std::size_t cells = 16;
  auto x = numbers(n);
  pleat::random_shuffle(x, 3);
  std::array<std::size_t, cells * cells> seen{};
  for (std::size_t i = 0; i < n; ++i) ++seen[x[i] * cells / n * cells + i * cells / n];
  double chi = 0;
  for (const std::size_t times : seen) {
    const double expected = static_cast<double>(n) / (cells * cells);
    const double off = static_cast<double>(times) - expected;
    chi += off * off / expected;
  }
  EXPECT_LT(chi, 225 + 5 * 21.2) << "225 degrees of freedom, five deviations";
}

}  // namespace rearrange_test
