// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace nth_element_test {

/// Beyond what is left to the standard library.
constexpr std::size_t sifted = 50021;

using record = std::pair<unsigned, std::size_t>;  // a key, and where it was

std::vector<record> records(std::size_t n, unsigned distinct) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<record> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = {static_cast<unsigned>(random()) % distinct, i};
  return x;
}

void expect_selected(const std::vector<record>& x, std::size_t k, std::vector<record> before) {
  auto all = x;
  for (std::size_t i = 0; i < k; ++i) ASSERT_LE(x[i].first, x[k].first);
  for (std::size_t i = k; i < x.size(); ++i) ASSERT_GE(x[i].first, x[k].first);
  std::ranges::sort(all);
  std::ranges::sort(before);
  ASSERT_EQ(all, before);  // nothing is lost
}

TEST(nth_element, puts_the_kth_where_a_sort_would) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const unsigned distinct : {1u, 3u, 1000000u}) {
      const auto before = records(n, distinct);
      for (const std::size_t k : {std::size_t{0}, n / 2, n - std::min<std::size_t>(n, 1), n}) {
        auto x = before;
        const auto at = pleat::nth_element(machine, x, k, {}, &record::first, with(vps));
        ASSERT_EQ(static_cast<std::size_t>(at - x.begin()), k);
        if (k < n) expect_selected(x, k, before);
      }
    }
  });
}

TEST(nth_element, sifts_many_elements_in_the_same_order_for_any_number_of_vps) {
  auto machine = strict_machine(3);
  for (const unsigned distinct : {1u, 3u, 1000000u}) {
    const auto before = records(sifted, distinct);
    for (const std::size_t k :
         {std::size_t{0}, std::size_t{1}, sifted / 3, sifted / 2, sifted - 1}) {
      SCOPED_TRACE(std::to_string(distinct) + " values, element " + std::to_string(k));
      auto first = before;
      pleat::nth_element(machine, first, k, {}, &record::first, with(1));
      expect_selected(first, k, before);
      for (const std::size_t vps : {2u, 7u}) {
        auto x = before;
        pleat::nth_element(machine, x, k, {}, &record::first, with(vps));
        ASSERT_EQ(x, first);
      }
    }
  }
}

TEST(nth_element, takes_sorted_and_reversed_ranges_and_other_orders) {
  auto machine = strict_machine(2);
  std::vector<int> x(sifted);
  for (const bool reversed : {false, true}) {
    for (std::size_t i = 0; i < sifted; ++i) x[reversed ? sifted - 1 - i : i] = static_cast<int>(i);
    auto y = x;
    EXPECT_EQ(*pleat::nth_element(machine, y, 777, {}, with(3)), 777);
    y = x;
    EXPECT_EQ(*pleat::nth_element(machine, y, 777, std::greater<>(), with(3)),
              static_cast<int>(sifted) - 1 - 777);
  }
}

TEST(nth_element, keeps_all_elements_whatever_the_order_answers) {
  auto machine = strict_machine(2);
  for (const std::size_t n : {2u, 17u, 1000u, 50021u}) {
    for (const unsigned distinct : {1u, 1000000u}) {
      const auto before = records(n, distinct);
      const auto expect_kept = [&](const auto& less) {
        for (const std::size_t k : {std::size_t{0}, n / 2, n - 1}) {
          auto x = before;
          pleat::nth_element(machine, x, k, less, with(3));
          std::ranges::sort(x, {}, &record::second);
          ASSERT_EQ(x, before);
        }
      };
      expect_kept([](const record&, const record&) { return true; });
      expect_kept([](const record& a, const record& b) { return a.first <= b.first; });
      std::minstd_rand random(7);
      std::mutex mutex;
      expect_kept([&](const record&, const record&) {
        const std::scoped_lock lock(mutex);
        return random() % 2 == 0;
      });
    }
  }
}

TEST(nth_element, moves_values_that_cannot_be_copied) {
  auto machine = strict_machine(2);
  std::deque<std::unique_ptr<int>> x;
  for (std::size_t i = 0; i < sifted; ++i)
    x.push_back(std::make_unique<int>(static_cast<int>(i * 7919 % sifted)));
  const auto value = [](const std::unique_ptr<int>& p) { return *p; };
  EXPECT_EQ(**pleat::nth_element(machine, x, 40000, {}, value, with(4)), 40000);
  for (std::size_t i = 0; i < sifted; ++i) ASSERT_EQ(*x[i] < 40000, i < 40000);
}

TEST(top_k, gives_the_first_of_equal_elements_first) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<std::string> x(n);
    for (auto& s : x) s = std::to_string(random() % 50);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return x[i]; });
    for (const std::size_t k : {0u, 1u, 5u, 100u, 20000u}) {
      auto expected = order;
      expected.resize(std::min(k, n));
      ASSERT_EQ(pleat::top_k(machine, x, k, {}, {}, with(vps)), expected);
    }
    std::ranges::sort(order);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i].size(); });
    order.resize(std::min<std::size_t>(n, 9));
    ASSERT_EQ(pleat::top_k(machine, x, 9, std::greater<>(), &std::string::size, with(vps)), order);
  });
}

}  // namespace nth_element_test
