// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace copy_if_test {

template <class T> class copy_if_of : public testing::Test {};
using values = testing::Types<std::uint8_t, std::string>;
TYPED_TEST_SUITE(copy_if_of, values);

TYPED_TEST(copy_if_of, values_keeps_their_order) {
  using T = TypeParam;
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const unsigned share : {0u, 1u, 5u, 10u}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<T> x(n);
      for (T& v : x) {
        if constexpr (std::same_as<T, std::string>)
          v = std::to_string(random() % 10);
        else
          v = static_cast<T>(random() % 10);
      }
      const auto is = [share](const T& v) {
        if constexpr (std::same_as<T, std::string>)
          return std::stoul(v) < share;
        else
          return v < static_cast<T>(share);
      };
      std::vector<T> expected;
      std::ranges::copy_if(x, std::back_inserter(expected), is);
      const T mark{};
      std::vector<T> out(expected.size() + 1, mark);
      const auto end = pleat::copy_if(machine, x, out, is, with(vps));
      ASSERT_EQ(end, out.end() - 1);
      ASSERT_EQ(out.back(), mark) << "nothing is written behind the end";
      out.pop_back();
      ASSERT_EQ(out, expected);
    }
  });
}

TEST(copy_if, takes_deques_views_and_projections) {
  auto machine = strict_machine(2);
  std::deque<int> out(500, -1);
  const auto end = pleat::copy_if(
      machine, std::views::iota(0, 1000), out, [](int r) { return r == 1; },
      [](int i) { return i % 2; }, with(7));
  EXPECT_EQ(end, out.end());
  for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(out[i], static_cast<int>(2 * i + 1));
}

TEST(copy_if, goes_round_by_round_on_the_default_machine) {
  const auto numbers = std::views::iota(0, static_cast<int>(large));
  const std::vector<int> x(numbers.begin(), numbers.end());
  std::vector<int> out(x.size());
  const auto end = pleat::copy_if(x, out, [](int i) { return i % 3 == 0; });
  ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), (x.size() + 2) / 3);
  for (std::size_t i = 0; i < (x.size() + 2) / 3; ++i) ASSERT_EQ(out[i], static_cast<int>(3 * i));
}

TEST(pack, copies_what_has_a_flag) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<std::string> x(n), expected;
    std::vector<bool> flags(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = std::to_string(i);
      flags[i] = random() % 3 == 0;
      if (flags[i]) expected.push_back(x[i]);
    }
    std::vector<std::string> out(expected.size() + 1, "behind");
    const auto end = pleat::pack(machine, x, flags, out, with(vps));
    ASSERT_EQ(end, out.end() - 1);
    ASSERT_EQ(out.back(), "behind");
    out.pop_back();
    ASSERT_EQ(out, expected);
  });
}

}  // namespace copy_if_test
