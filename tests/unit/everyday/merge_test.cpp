// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/merge.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace merge_test {

using pair = std::pair<int, std::size_t>;

std::vector<pair> sorted_pairs(std::size_t n, std::size_t id, int distinct) {
  std::mt19937 random(static_cast<unsigned>(n + id));
  std::vector<pair> x(n);
  for (pair& p : x) p = {static_cast<int>(random()) % distinct, id++};
  std::ranges::stable_sort(x, {}, &pair::first);
  return x;
}

TEST(merge, is_stable) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}, n / 2, 2 * n + 3}) {
      const auto a = sorted_pairs(n, 0, 20);
      const auto b = sorted_pairs(m, 1'000'000, 20);
      std::vector<pair> expected(n + m), out(n + m + 1, pair{99, 99});
      std::ranges::merge(a, b, expected.begin(), {}, &pair::first, &pair::first);
      const auto end = pleat::merge(machine, a, b, out, {}, &pair::first, with(vps));
      ASSERT_EQ(end, out.end() - 1);
      ASSERT_EQ(out.back(), (pair{99, 99}));
      out.pop_back();
      ASSERT_EQ(out, expected);
    }
  });
}

TEST(merge, takes_strings_comparators_and_deques) {
  auto machine = strict_machine(2);
  std::vector<std::string> a;
  std::deque<std::string> b;
  for (int i = 0; i < 2000; ++i) (i % 3 ? a.emplace_back() : b.emplace_back()) = std::to_string(i);
  std::ranges::sort(a, std::greater<>());
  std::ranges::sort(b, std::greater<>());
  std::vector<std::string> out(2000);
  pleat::merge(machine, a, b, out, std::greater<>(), with(5));
  EXPECT_TRUE(std::ranges::is_sorted(out, std::greater<>()));
  EXPECT_EQ(std::ranges::adjacent_find(out), out.end());
}

TEST(merge, refuses_a_short_output_and_passes_exceptions_on) {
  auto machine = strict_machine(2);
  const std::vector<int> a(1000), b(1000);
  std::vector<int> out(1999);
  EXPECT_THROW(pleat::merge(machine, a, b, out), pleat::usage_error);
  out.resize(2000);
  for (const std::size_t vps : vp_counts) {
    EXPECT_THROW(pleat::merge(
                     machine, a, b, out, [](int, int) -> bool { throw refusal(); }, with(vps)),
                 refusal);
  }
}

/// Orders that are none, asked by all VPs at once.
template <class T> std::vector<std::function<bool(const T&, const T&)>> odd_orders() {
  return {[](const T&, const T&) { return true; }, [](const T& x, const T& y) { return x <= y; },
          [](const T& x, const T& y) { return x.back() < y.back(); },
          [](const T& x, const T& y) { return (x.size() + y.size()) % 17 == 0 ? y < x : x < y; },
          [](const T&, const T&) {
            thread_local std::minstd_rand random;
            return random() % 2 == 0;
          }};
}

TEST(merge, loses_nothing_whatever_the_order_answers) {
  auto machine = strict_machine(2);
  const auto strings = [](std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::string> some(n);
    for (auto& s : some) s = std::string(random() % 40, 'x') + std::to_string(random());
    return some;
  };
  for (const std::size_t n : {1u, 2u, 300u, 4000u}) {
    std::vector<std::string> a = strings(n, 1), b = strings(2 * n, 2), all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::ranges::sort(all);
    for (const bool sorted : {false, true}) {
      if (sorted) {
        std::ranges::sort(a);
        std::ranges::sort(b);
      }
      for (const std::size_t vps : vp_counts) {
        for (const auto& order : odd_orders<std::string>()) {
          std::vector<std::string> out(3 * n);
          pleat::merge(machine, a, b, out, order, with(vps));
          std::ranges::sort(out);
          ASSERT_EQ(out, all) << n << " strings, " << vps << " VPs";
        }
      }
    }
  }
}

TEST(merge, runs_on_the_default_machine) {
  std::vector<int> a(large), b(large), out(2 * large);
  for (std::size_t i = 0; i < large; ++i) {
    a[i] = static_cast<int>(2 * i);
    b[i] = static_cast<int>(2 * i + 1);
  }
  pleat::merge(a, b, out);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i));
}

}  // namespace merge_test
