// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/commutes.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace scan_test {

template <class T> class scan_of : public testing::Test {};
using numbers = testing::Types<std::uint8_t, double, long double>;
TYPED_TEST_SUITE(scan_of, numbers);

TYPED_TEST(scan_of, small_integers_equals_a_serial_loop) {
  using T = TypeParam;
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> x(n), inclusive(n), exclusive(n), peaks(n);
    for (T& v : x) v = static_cast<T>(random() % 3);
    T sum{0}, before{5}, peak{0};
    for (std::size_t i = 0; i < n; ++i) {
      inclusive[i] = sum = static_cast<T>(sum + x[i]);
      exclusive[i] = before;
      before = static_cast<T>(before + x[i]);
      peaks[i] = peak = std::max(peak, x[i]);
    }
    std::vector<T> out(n + 2, T{99});
    const auto end = pleat::inclusive_scan(machine, x, out, {}, with(vps));
    ASSERT_EQ(static_cast<std::size_t>(end - out.begin()), n);
    ASSERT_EQ(out[n], T{99});
    out.resize(n);
    ASSERT_EQ(out, inclusive);
    pleat::exclusive_scan(machine, x, out, T{5}, {}, with(vps));
    ASSERT_EQ(out, exclusive);
    pleat::inclusive_scan(machine, x, out, pleat::maximum(), with(vps));
    ASSERT_EQ(out, peaks);
    out = x;  // in place
    pleat::inclusive_scan(machine, out, out, {}, with(vps));
    ASSERT_EQ(out, inclusive);
    out = x;
    pleat::exclusive_scan(machine, out, out, T{5}, std::plus<>(), with(vps));
    ASSERT_EQ(out, exclusive);
  });
}

TYPED_TEST(scan_of, any_number_of_vps_gives_the_same_bits) {
  using T = TypeParam;
  auto machine = strict_machine(2);
  std::mt19937_64 random(1);
  for (const std::size_t n : {300u, 5000u, 100003u, 400007u}) {
    std::vector<T> x(n), first(n), out(n);
    for (T& v : x) v = static_cast<T>(static_cast<double>(random() % 1000003) / 9970.0);
    const auto lambda = [](T a, T b) { return static_cast<T>(a + b); };
    pleat::inclusive_scan(machine, x, first);
    for (const std::size_t vps : vp_counts) {
      pleat::inclusive_scan(machine, x, out, {}, with(vps));
      ASSERT_EQ(out, first) << vps;
    }
    pleat::exclusive_scan(machine, x, first, T{1}, lambda);
    for (const std::size_t vps : vp_counts) {
      pleat::exclusive_scan(machine, x, out, T{1}, lambda, with(vps));
      ASSERT_EQ(out, first) << vps;
    }
  }
}

TEST(scan, keeps_the_order_of_operands_that_do_not_commute) {
  auto machine = strict_machine(3);
  for (const std::size_t n : {0u, 1u, 2u, 17u, 257u, 1009u}) {
    for (const std::size_t vps : vp_counts) {
      std::deque<std::string> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<char>('a' + i % 26);
      std::vector<std::string> out(n), expected(n);
      std::string sum;
      for (std::size_t i = 0; i < n; ++i) expected[i] = sum += x[i];
      pleat::inclusive_scan(machine, x, out, {}, with(vps));
      ASSERT_EQ(out, expected);
      for (std::size_t i = 0; i < n; ++i) expected[i] = "<" + expected[i].substr(0, i);
      pleat::exclusive_scan(machine, x, out, std::string("<"), {}, with(vps));
      ASSERT_EQ(out, expected);
    }
  }
}

TEST(scan, takes_projections_views_and_another_type_for_sums) {
  auto machine = strict_machine(2);
  struct item {
    std::uint8_t size;
  };
  const std::vector<item> items(1000, {200});
  std::vector<long> begins(items.size());
  pleat::exclusive_scan(machine, items, begins, 0L, {}, &item::size, with(3));
  EXPECT_EQ(begins.back(), 200 * 999);
  std::vector<int> sums(1000);
  pleat::inclusive_scan(machine, std::views::iota(0, 1000), sums, std::plus<>(), std::negate<>(),
                        with(3));
  EXPECT_EQ(sums.back(), -999 * 1000 / 2);
}

TEST(scan, goes_round_by_round_through_what_exceeds_a_cache) {
  auto machine = strict_machine(2);
  const std::vector<double> x(large, 1.0);
  std::vector<double> out(large);
  pleat::run_report report;
  pleat::inclusive_scan(machine, x, out, {}, {.vps = 2, .report = &report});
  for (std::size_t i = 0; i < large; ++i) ASSERT_EQ(out[i], static_cast<double>(i + 1));
  EXPECT_EQ(report.supersteps[0], large * sizeof(double) / (2 * 262144) + 1);
}

}  // namespace scan_test
