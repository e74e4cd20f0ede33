// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/search.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace search_test {

TEST(find_if, gives_the_first_of_several) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const std::size_t at : {std::size_t{0}, n / 3, n - 1, n}) {
      std::vector<int> x(n, 1);
      for (std::size_t i = at; i < n; i += 5) x[i] = 2;
      const auto found = pleat::find_if(
          machine, x, [](int v) { return v == 2; }, with(vps));
      ASSERT_EQ(static_cast<std::size_t>(found - x.begin()), std::min(at, n));
    }
  });
}

// The VPs of two groups wait for each other, unless one of them has both.
TEST(find_if, keeps_the_first_when_a_later_one_is_found_after_it) {
  pleat::machine machine({.processors = 2, .threads = {.each = true}});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> early = false, late = false;
    const auto wait = [](const std::atomic<bool>& other, int least) {
      for (int turn = 0; turn < least || (turn < 10'000 && !other); ++turn)
        std::this_thread::yield();
    };
    const auto hit = [&](int i) {
      if (i == 5) wait(late, 0);
      if (i == 5) early = true;
      if (i == 300) late = true;
      if (i == 300) wait(early, 0);
      if (i == 300) wait(early, 100);  // until it is known besides
      return i == 5 || i == 300;
    };
    ASSERT_EQ(*pleat::find_if(machine, std::views::iota(0, 1000), hit, with(2)), 5);
  }
}

TEST(find_if, takes_projections_and_views) {
  auto machine = strict_machine(2);
  std::deque<std::unique_ptr<int>> x(3000);
  x[2000] = std::make_unique<int>(1);
  const auto found = pleat::find_if(
      machine, x, [](bool b) { return b; },
      [](const std::unique_ptr<int>& p) { return p != nullptr; }, with(4));
  EXPECT_EQ(found - x.begin(), 2000);
  const auto numbers = std::views::iota(0, 100000);
  EXPECT_EQ(*pleat::find_if(
                machine, numbers, [](int i) { return i * 3 > 1000; }, with(5)),
            334);
}

TEST(equal, compares_sizes_and_elements) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<int> a(n, 1);
    const std::deque<long> b(n, 1);
    ASSERT_TRUE(pleat::equal(machine, a, b, {}, with(vps)));
    ASSERT_FALSE(pleat::equal(machine, a, std::vector<int>(n + 1, 1), {}, with(vps)));
    if (n == 0) return;
    a.back() = 2;
    ASSERT_FALSE(pleat::equal(machine, a, b, {}, with(vps)));
    ASSERT_TRUE(pleat::equal(machine, a, b, std::greater_equal<>(), with(vps)));
  });
}

TEST(best_element, is_the_first_of_equal_ones) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<std::string> x(n);
    for (auto& s : x) s = std::to_string(random() % 20);
    ASSERT_EQ(pleat::min_element(machine, x, {}, {}, with(vps)), std::ranges::min_element(x));
    ASSERT_EQ(pleat::max_element(machine, x, {}, {}, with(vps)), std::ranges::max_element(x));
    ASSERT_EQ(pleat::max_element(machine, x, std::greater<>(), &std::string::size, with(vps)),
              std::ranges::max_element(x, std::greater<>(), &std::string::size));
    std::vector<double> y(n);
    for (auto& v : y) v = static_cast<double>(random() % 100);
    pleat::run_report report;
    pleat::range_options how = with(vps);
    how.report = &report;
    ASSERT_EQ(pleat::min_element(machine, y, {}, how), std::ranges::min_element(y));
    ASSERT_EQ(report.vps, vps > 1 && n > 0 ? vps : 0);
    ASSERT_EQ(pleat::max_element(machine, y, {}, with(vps)), std::ranges::max_element(y));
  });
}

template <class T> class best_of : public testing::Test {};
// A small and a large type, and one that has no lanes.
using numbers = testing::Types<signed char, float, std::uint64_t, long double>;
TYPED_TEST_SUITE(best_of, numbers);

TYPED_TEST(best_of, numbers_in_any_order_is_the_first_of_equal_ones) {
  using T = TypeParam;
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const unsigned distinct : {2u, 100u, 60000u}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<T> x(n);
      for (T& v : x) v = static_cast<T>(static_cast<int>(random() % distinct) - 50);
      const auto how = with(vps);
      ASSERT_EQ(pleat::min_element(machine, x, {}, how), std::ranges::min_element(x));
      ASSERT_EQ(pleat::max_element(machine, x, {}, how), std::ranges::max_element(x));
      ASSERT_EQ(pleat::min_element(machine, x, std::greater<>(), how), std::ranges::max_element(x));
      ASSERT_EQ(pleat::max_element(machine, x, std::ranges::greater(), how),
                std::ranges::min_element(x));
      ASSERT_EQ(pleat::min_element(machine, x, std::less<T>(), how), std::ranges::min_element(x));
      const auto view = std::views::reverse(x);
      ASSERT_EQ(pleat::max_element(machine, view, {}, how), std::ranges::max_element(view));
    }
  });
}

}  // namespace search_test
