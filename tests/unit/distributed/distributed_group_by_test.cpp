// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace distributed_group_by_test {

TEST(distributed_group_by, ends_whatever_the_order_answers_and_throws_on_all_ranks) {
  const machine_of_ranks machine({1, 2, 1});
  const auto before = scrambled_records(2003, 50);
  on_ranks(machine, [&](pleat::machine& on) {
    auto data = distributed_of(on, before);
    const auto begins =
        pleat::group_by(on, data, [](const record&, const record&) { return true; });
    EXPECT_EQ(begins.size(), before.size() + 1);
  });
  for (const std::string& each : words_on_ranks(machine, [&](pleat::machine& on) {
         auto data = distributed_of(on, before);
         static_cast<void>(
             pleat::group_by(on, data, [rank = on.rank()](const record& a, const record& b) {
               if (rank == 1) throw std::runtime_error("cannot compare");
               return a < b;
             }));
       }))
    EXPECT_NE(each.find("cannot compare"), std::string::npos) << each;
}

// Pairs are not trivially copyable, though copies of their bytes are pairs.
TEST(distributed_sort, takes_pairs_as_keys_and_as_values) {
  const machine_of_ranks machine({1, 2, 1});
  const std::size_t n = 1009;
  const auto before = scrambled_records(n, 50);
  std::vector<std::uint64_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::ranges::sort(order, std::greater<>(), [&](std::uint64_t i) { return before[i]; });
  on_ranks(machine, [&](pleat::machine& on) {
    auto keys = distributed_of(on, before);
    EXPECT_EQ(pleat::argsort(on, keys, std::greater<>()).gather(on), order);
    auto values = distributed_of(on, before);
    pleat::sort_by_key(on, keys, values, std::greater<>());
    pleat::distributed<bool> odd(on, n);
    odd.fill(on, [](std::size_t i) { return i % 2 != 0; });
    auto others = distributed_of(on, before);
    pleat::sort_by_key(on, odd, others);
    for (std::size_t j = 0; j < keys.local().size(); ++j) {
      const std::size_t i = keys.global_index(j);
      ASSERT_EQ(keys.local()[j], before[order[i]]);
      ASSERT_EQ(values.local()[j], before[order[i]]);
      ASSERT_EQ(others.local()[j], before[i <= n / 2 ? 2 * i : 2 * (i - n / 2) - 1]);
    }
  });
}

}  // namespace distributed_group_by_test
