// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/unique.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace partition_test {

TEST(partition, keeps_the_order_of_both_parts) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const unsigned share : {0u, 1u, 5u, 10u}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<std::string> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = std::to_string(random() % 10) + std::to_string(i);
      const auto is = [share](char c) { return c < static_cast<char>('0' + share); };
      const auto initial = [](const std::string& s) { return s.front(); };
      auto expected = x;
      const auto rest = std::ranges::stable_partition(expected, is, initial);
      const auto others = pleat::partition(machine, x, is, initial, with(vps));
      ASSERT_EQ(x, expected);
      ASSERT_EQ(others.size(), rest.size());
      ASSERT_EQ(others.end(), x.end());
    }
  });
}

TEST(partition, moves_values_that_cannot_be_copied) {
  auto machine = strict_machine(2);
  std::deque<std::unique_ptr<int>> x;
  for (int i = 0; i < 5000; ++i) x.push_back(std::make_unique<int>(i));
  pleat::partition(
      machine, x, [](const auto& p) { return *p % 2 == 1; }, with(5));
  for (std::size_t i = 0; i < 2500; ++i) {
    ASSERT_EQ(*x[i], static_cast<int>(2 * i + 1));
    ASSERT_EQ(*x[2500 + i], static_cast<int>(2 * i));
  }
}

TEST(unique, keeps_the_first_of_equal_neighbours) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const unsigned distinct : {1u, 2u, 1000u}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<std::pair<unsigned, std::size_t>> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = {static_cast<unsigned>(random()) % distinct, i};
      auto expected = x;
      const auto first = [](const auto& p) { return p.first; };
      const auto gone = std::ranges::unique(expected, {}, first);
      expected.erase(gone.begin(), gone.end());
      const auto rest = pleat::unique(machine, x, {}, first, with(vps));
      ASSERT_EQ(rest.end(), x.end());
      x.erase(rest.begin(), rest.end());
      ASSERT_EQ(x, expected);
    }
  });
}

using pair = std::pair<int, std::size_t>;

TEST(group_by, puts_equal_elements_together_in_their_order) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const int distinct : {1, 7, 1'000'000}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<pair> x(n);
      std::map<int, std::vector<std::size_t>> groups;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = {static_cast<int>(random() % static_cast<unsigned>(distinct)), i};
        groups[x[i].first].push_back(i);
      }
      const auto begins = pleat::group_by(machine, x, {}, &pair::first, with(vps));
      ASSERT_EQ(begins.size(), groups.size() + 1);
      ASSERT_EQ(begins.front(), 0u);
      ASSERT_EQ(begins.back(), n);
      std::size_t g = 0;
      for (const auto& [key, members] : groups) {
        ASSERT_EQ(begins[g + 1] - begins[g], members.size());
        for (std::size_t i = 0; i < members.size(); ++i)
          ASSERT_EQ(x[begins[g] + i], (pair{key, members[i]}));
        ++g;
      }
    }
  });
}

}  // namespace partition_test
