// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/transform.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace transform_test {

TEST(transform, writes_what_the_function_returns) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<long> x(n);
    std::iota(x.begin(), x.end(), 0);
    std::vector<std::string> out(n + 1, "behind");
    const auto end = pleat::transform(
        machine, x, out, [](long i) { return std::to_string(i); }, with(vps));
    ASSERT_EQ(end, out.end() - 1);
    ASSERT_EQ(out.back(), "behind");
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], std::to_string(i));
  });
}

TEST(transform, works_in_place_and_with_projections) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<std::pair<int, double>> pairs(n, {2, 0.5});
    std::deque<double> sums(n);
    pleat::transform(
        machine, pairs, sums, [](int i) { return i + 1; }, &std::pair<int, double>::first,
        with(vps));
    pleat::transform(
        machine, sums, sums, [](double d) { return 2 * d; }, with(vps));
    ASSERT_EQ(sums, std::deque<double>(n, 6));
  });
}

TEST(transform, of_two_ranges_ends_with_the_shorter) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    const auto a = std::views::iota(std::size_t{0}, n);
    const std::vector<int> b(n + 3, 1);
    std::vector<std::size_t> out(n + 3, 77);
    const auto add = [](std::size_t x, int y) { return x + static_cast<std::size_t>(y); };
    const auto end = pleat::transform(machine, a, b, out, add, with(vps));
    ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], i + 1);
    ASSERT_EQ(out[n], 77u);
  });
}

/// Results that no cache holds, which are written past the caches, from any place on.
constexpr std::size_t uncached = (std::size_t{1} << 21) + 13;

TEST(transform, writes_large_outputs_whole_wherever_they_begin) {
  auto machine = strict_machine(3);
  const auto x = std::views::iota(std::size_t{0}, uncached);
  std::vector<std::size_t> out(uncached + 10, 77);
  for (const std::size_t begin : {0u, 5u}) {
    for (const std::size_t vps : {1u, 3u}) {
      std::ranges::fill(out, 77);
      const std::span<std::size_t> to(out.data() + begin, uncached);
      pleat::transform(
          machine, x, to, [](std::size_t i) { return i + 1; }, with(vps));
      for (std::size_t i = 0; i < uncached; ++i) ASSERT_EQ(to[i], i + 1);
      for (std::size_t i = 0; i < begin; ++i) ASSERT_EQ(out[i], 77u);
      for (std::size_t i = begin + uncached; i < out.size(); ++i) ASSERT_EQ(out[i], 77u);
    }
  }
}

TEST(transform, writes_large_outputs_of_odd_size_and_in_place) {
  auto machine = strict_machine(2);
  struct three {
    int a, b, c;
    bool operator==(const three&) const = default;
  };
  std::vector<int> x(uncached);
  std::iota(x.begin(), x.end(), 0);
  std::vector<three> out(uncached);
  pleat::transform(
      machine, x, out,
      [](int i) {
        return three{i, -i, 1};
      },
      with(5));
  for (std::size_t i = 0; i < uncached; ++i) ASSERT_EQ(out[i], (three{x[i], -x[i], 1}));
  pleat::transform(
      machine, out, out,
      [](const three& t) {
        return three{t.b, t.a, t.c + 1};
      },
      with(5));
  for (std::size_t i = 0; i < uncached; ++i) ASSERT_EQ(out[i], (three{-x[i], x[i], 2}));
}

TEST(transform, makes_values_that_can_only_be_moved) {
  auto machine = strict_machine(2);
  std::vector<int> x(1000);
  std::iota(x.begin(), x.end(), 0);
  std::vector<std::unique_ptr<int>> out(x.size());
  pleat::transform(
      machine, x, out, [](int i) { return std::make_unique<int>(i); }, with(4));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(*out[i], x[i]);
}

TEST(transform, takes_two_iterators_and_a_third_for_the_results) {
  auto machine = strict_machine(2);
  const std::vector<int> x(1000, 3);
  std::vector<double> halves(1001);
  const auto half = [](int value) { return value / 2.0; };
  EXPECT_EQ(pleat::transform(machine, x.begin(), x.end(), halves.begin() + 1, half, {.vps = 3}),
            halves.end());
  EXPECT_EQ(pleat::transform(x.begin(), x.begin() + 1, halves.begin(), half), halves.begin() + 1);
  EXPECT_EQ(halves, std::vector<double>(1001, 1.5));
}

}  // namespace transform_test
