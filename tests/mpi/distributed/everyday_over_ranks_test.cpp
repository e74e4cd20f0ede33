// SPDX-License-Identifier: Apache-2.0
// Merges, selections, groups and new orders on the ranks of MPI. What depends on sizes, types and
// failures is tested without MPI, in tests/unit/distributed.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/top_k.hpp>

#include "over_all_ranks.hpp"
#include "unit/distributed/record_cases.hpp"

namespace everyday_over_ranks_test {

TEST(everyday_over_ranks, merges_selects_groups_and_rearranges_as_one_array) {
  pleat::machine machine(over_all_ranks(2));
  constexpr std::size_t n = 40'009;
  auto expected = scrambled_records(n, 500);
  const std::vector<record> before = expected;
  std::ranges::stable_sort(expected, {}, &record::first);
  std::vector<record> twice(2 * n);
  std::ranges::merge(expected, expected, twice.begin(), {}, &record::first, &record::first);

  auto data = distributed_of(machine, before);
  const std::vector<std::size_t> best = pleat::top_k(machine, data, 7, {}, &record::first);
  for (const record& each : data.gather(machine, best)) EXPECT_EQ(each.first, 499U);
  EXPECT_TRUE(std::ranges::is_sorted(best));
  pleat::nth_element(machine, data, n / 3, {}, &record::first);
  EXPECT_EQ(data.gather(machine, {n / 3})[0].first, expected[n / 3].first);

  data = distributed_of(machine, before);
  pleat::reverse(machine, data);
  pleat::rotate(machine, data, 1234);
  EXPECT_EQ(data.gather(machine, {n - 1234})[0], before[n - 1]);
  pleat::rotate(machine, data, n - 1234);
  pleat::reverse(machine, data);
  EXPECT_EQ(data.gather(machine), before);

  const auto begins = pleat::group_by(machine, data, {}, &record::first);
  EXPECT_EQ(begins.size(), 501U);
  EXPECT_EQ(data.gather(machine), expected);
  pleat::distributed<record> all(machine, 2 * n);
  pleat::merge(machine, data, data, all, {}, &record::first);
  EXPECT_EQ(all.gather(machine), twice);
  pleat::random_shuffle(machine, all, 5);
  auto shuffled = all.gather(machine);
  EXPECT_NE(shuffled, twice);
  std::ranges::sort(shuffled);
  std::ranges::sort(twice);
  EXPECT_EQ(shuffled, twice);
}

}  // namespace everyday_over_ranks_test
