// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/rearrange.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace rearrange_test {

TEST(reverse, turns_a_range_round) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::deque<std::size_t> x(n);
    std::iota(x.begin(), x.end(), std::size_t{0});
    ASSERT_EQ(pleat::reverse(machine, x, with(vps)), x.end());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(x[i], n - 1 - i);
  });
}

TEST(rotate, puts_the_middle_first) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const std::size_t middle : {std::size_t{0}, std::min<std::size_t>(1, n), n / 3, n}) {
      std::vector<std::unique_ptr<std::size_t>> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = std::make_unique<std::size_t>(i);
      const auto old_first = pleat::rotate(machine, x, middle, with(vps));
      ASSERT_EQ(static_cast<std::size_t>(old_first - x.begin()), n - middle);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(*x[i], (i + middle) % n);
    }
  });
}

TEST(rearrange, runs_on_the_default_machine) {
  std::vector<std::size_t> x(large);
  std::iota(x.begin(), x.end(), std::size_t{0});
  pleat::rotate(x, 5);
  pleat::reverse(x);
  for (std::size_t i = 0; i < large; ++i) ASSERT_EQ(x[i], (2 * large - 1 - i + 5) % large);
}

}  // namespace rearrange_test
