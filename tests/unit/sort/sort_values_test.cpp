// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

#include "sorted_values.hpp"

namespace sort_values_test {

TEST(stable_sort, keeps_equal_records_in_order) {
  auto machine = strict_machine(2);
  for (const std::int32_t distinct : {1, 3, 1000000}) {
    for_all([&](std::size_t n, std::size_t vps) {
      const auto records = make_records(n, distinct);
      const auto by_key = [](const record& a, const record& b) { return a.key < b.key; };
      auto expected = records;
      std::stable_sort(expected.begin(), expected.end(), by_key);
      auto sorted = records;
      pleat::stable_sort(machine, sorted, by_key, with(vps));
      ASSERT_EQ(sorted, expected);
      sorted = records;
      pleat::stable_sort(machine, sorted, {}, &record::key, with(vps));
      ASSERT_EQ(sorted, expected) << "by projection";
      sorted = records;
      pleat::stable_sort(machine, sorted, std::ranges::greater(), &record::key, with(vps));
      std::stable_sort(expected.begin(), expected.end(),
                       [](const record& a, const record& b) { return a.key > b.key; });
      ASSERT_EQ(sorted, expected) << "descending";
    });
  }
}

TEST(sort, of_pairs_of_integers_is_lexicographic) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937_64 random(n);
    std::vector<std::pair<std::int16_t, std::uint64_t>> pairs(n);
    for (auto& p : pairs) p = {static_cast<std::int16_t>(random() % 7 - 3), random() % 900};
    auto expected = pairs;
    std::ranges::sort(expected);
    auto sorted = pairs;
    pleat::sort(machine, sorted, {}, with(vps));
    ASSERT_EQ(sorted, expected);
    pleat::stable_sort(machine, sorted, std::greater<>(), with(vps));
    std::ranges::reverse(expected);
    ASSERT_EQ(sorted, expected);
  });
}

}  // namespace sort_values_test
