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

/// Orders that are none, asked by all VPs at once.
template <class T> std::vector<std::function<bool(const T&, const T&)>> odd_orders() {
  return {[](const T&, const T&) { return true; }, [](const T& x, const T& y) { return x <= y; },
          [](const T& x, const T& y) { return std::hash<T>()(x) % 10 < std::hash<T>()(y) % 10; },
          [](const T& x, const T& y) {
            return (std::hash<T>()(x) + std::hash<T>()(y)) % 17 == 0 ? y < x : x < y;
          },
          [](const T&, const T&) {
            thread_local std::minstd_rand random;
            return random() % 2 == 0;
          }};
}

template <class T, class Make> void nothing_is_lost(const Make& make) {
  auto machine = strict_machine(2);
  const auto some = [&make](std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> made(n);
    std::ranges::generate(made, [&] { return make(random); });
    return made;
  };
  for (const std::size_t n : {1u, 2u, 300u, 4000u}) {
    std::vector<T> a = some(n, 1), b = some(2 * n, 2), all = a;
    all.insert(all.end(), b.begin(), b.end());
    std::ranges::sort(all);
    for (const bool sorted : {false, true}) {
      if (sorted) {
        std::ranges::sort(a);
        std::ranges::sort(b);
      }
      for (const std::size_t vps : vp_counts) {
        for (const auto& order : odd_orders<T>()) {
          std::vector<T> out(3 * n);
          pleat::merge(machine, a, b, out, order, with(vps));
          std::ranges::sort(out);
          ASSERT_EQ(out, all) << n << " elements, " << vps << " VPs";
        }
      }
    }
  }
}

TEST(merge, loses_nothing_whatever_the_order_answers) {
  nothing_is_lost<std::string>(
      [](auto& random) { return std::string(random() % 40, 'x') + std::to_string(random()); });
  nothing_is_lost<std::uint32_t>([](auto& random) { return std::uint32_t(random() % 1000); });
}

struct assigned_only {
  int value = 0;
  assigned_only() = default;
  explicit assigned_only(int x) : value(x) {}
  assigned_only(const assigned_only&) = delete;
  assigned_only& operator=(const assigned_only&) = default;
};

TEST(merge, takes_elements_that_can_only_be_assigned_and_volatile_ones) {
  assigned_only a[100], b[100], out[200];
  volatile int numbers[100] = {}, more[100] = {}, all[200] = {};
  for (int i = 0; i < 100; ++i) {
    numbers[i] = 2 * i;
    more[i] = 2 * i + 1;
    a[i].value = 2 * i;
    b[i].value = 2 * i + 1;
  }
  pleat::merge(a, b, out, {}, &assigned_only::value);
  pleat::merge(numbers, more, all);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(out[i].value, i);
    EXPECT_EQ(all[i], i);
  }
}

}  // namespace merge_test
