// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/group_by.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace group_by_test {

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

}  // namespace group_by_test
