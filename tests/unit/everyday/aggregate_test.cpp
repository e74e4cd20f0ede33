// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/aggregate.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace aggregate_test {

constexpr auto append = [](std::string& text, std::size_t i) { text += std::to_string(i) + ' '; };

TEST(aggregate, keeps_the_order_of_elements) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<std::size_t> x(n);
    std::iota(x.begin(), x.end(), std::size_t{0});
    std::string expected;
    for (const std::size_t i : x) append(expected, i);
    ASSERT_EQ(pleat::aggregate(machine, x, std::string(), append, {}, with(vps)), expected);
  });
}

TEST(aggregate, gives_the_same_bits_for_any_number_of_vps) {
  auto machine = strict_machine(2);
  using sums = std::array<double, 3>;
  const auto add = [](sums& sum, double x) { sum[static_cast<std::size_t>(x) % 3] += x; };
  const auto merge = [](const sums& a, const sums& b) {
    return sums{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  };
  std::vector<double> x(100'003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i % 10'007) * 0.1;
  const sums expected = pleat::aggregate(machine, x, sums{}, add, merge);
  const std::deque<double> elsewhere(x.begin(), x.end());
  for (const std::size_t vps : vp_counts)
    ASSERT_EQ(pleat::aggregate(machine, elsewhere, sums{}, add, merge, with(vps)), expected);
}

TEST(aggregate, counts_many_elements_on_the_default_machine) {
  std::vector<std::uint32_t> x(large);
  std::iota(x.begin(), x.end(), 0u);
  using counts = std::array<std::size_t, 10>;
  const counts found = pleat::aggregate(
      x, counts{}, [](counts& sum, std::uint32_t i) { ++sum[i % 10]; },
      [](counts a, const counts& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        return a;
      });
  for (std::size_t digit = 0; digit < 10; ++digit)
    EXPECT_EQ(found[digit], (large - digit + 9) / 10);
}

}  // namespace aggregate_test
