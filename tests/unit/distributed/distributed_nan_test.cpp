// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/oblivious/unique.hpp>

#include "nan_cases.hpp"
#include "on_ranks.hpp"

namespace distributed_nan_test {

/// Expects one rule also where ranks compare elements, not only where each looks at its block.
template <class Compare> void expect_one_rule(const Compare& less, bool falling) {
  const numbers_then_nans order{falling};
  const auto comes_first = [&](double a, double b) { return order(a, b); };
  const machine_of_ranks machine({1, 2, 1});
  for (const std::size_t n : {std::size_t{2}, std::size_t{3001}, std::size_t{40'001}}) {
    for (const unsigned of : {1u, 3u}) {
      const std::vector<double> x = numbers_with_nans<double>(n, of, static_cast<unsigned>(n));
      const std::vector<std::size_t> sorted = indices_in_order(x, order);
      const std::vector<std::size_t> greatest = indices_from_greatest(x, order);
      const std::vector<std::size_t> begins = begins_of_groups(x, order);
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<double> data(on, n), twice(on, 2 * n);
        const auto reset = [&] { data.fill(on, [&](std::size_t i) { return x[i]; }); };
        reset();
        EXPECT_EQ(pleat::min_element(on, data, less), sorted.front());
        EXPECT_EQ(pleat::max_element(on, data, less), greatest.front());
        const std::size_t k = std::min<std::size_t>(n, 40);
        EXPECT_EQ(
            pleat::top_k(on, data, k, less),
            std::vector<std::size_t>(greatest.begin(), greatest.begin() + static_cast<long>(k)));
        for (const std::size_t at : {n / 3, n - 1}) {
          reset();
          pleat::nth_element(on, data, at, less);
          const auto selected = data.gather(on);
          const auto middle = selected.begin() + static_cast<long>(at);
          EXPECT_TRUE(std::none_of(selected.begin(), middle,
                                   [&](double a) { return comes_first(*middle, a); }));
          EXPECT_TRUE(std::none_of(middle, selected.end(),
                                   [&](double a) { return comes_first(a, *middle); }));
        }
        reset();
        const auto groups = pleat::group_by(on, data, less).gather(on);
        EXPECT_TRUE(std::ranges::equal(groups, begins));
        EXPECT_EQ(pleat::unique(on, data).size(), begins.size() - 1);
        pleat::merge(on, data, data, twice, less);
        const auto merged = twice.gather(on);
        for (std::size_t i = 0; i < merged.size(); ++i) {
          const double a = merged[i], b = x[sorted[i / 2]];
          ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << i;
        }
      });
    }
  }
}

TEST(distributed_nan, is_last_by_less_and_by_greater_for_all_functions) {
  expect_one_rule(std::less<>(), false);
  expect_one_rule(std::ranges::greater(), true);
}

}  // namespace distributed_nan_test
