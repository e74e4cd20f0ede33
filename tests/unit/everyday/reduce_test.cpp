// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/commutes.hpp>
#include <pleat/oblivious/aggregate.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/runtime/machine.hpp>

#include "range_cases.hpp"

namespace reduce_test {

template <class T> class reduce_of : public testing::Test {};
// A small and a large type, and one that has no lanes.
using numbers = testing::Types<std::int8_t, float, std::uint64_t, long double>;
TYPED_TEST_SUITE(reduce_of, numbers);

TYPED_TEST(reduce_of, small_integers_equals_a_serial_loop_for_each_operator) {
  using T = TypeParam;
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> x(n);
    for (T& v : x) v = static_cast<T>(random() % 3);
    T sum{7};
    for (const T& v : x) sum = static_cast<T>(sum + v);
    ASSERT_EQ(pleat::reduce(machine, x, T{7}, {}, with(vps)), sum);
    ASSERT_EQ(pleat::reduce(machine, x, T{7}, std::plus<T>(), with(vps)), sum);
    ASSERT_EQ(pleat::reduce(machine, x, T{0}, pleat::maximum(), with(vps)),
              n == 0 ? T{0} : std::max(T{0}, *std::ranges::max_element(x)));
    ASSERT_EQ(pleat::reduce(machine, x, T{9}, pleat::minimum(), with(vps)),
              n == 0 ? T{9} : *std::ranges::min_element(x));
    std::vector<T> ones(n, T{1});
    if (n > 0) ones[n / 2] = T{3};
    ASSERT_EQ(pleat::reduce(machine, ones, T{2}, std::multiplies<>(), with(vps)),
              n == 0 ? T{2} : T{6});
    if constexpr (std::integral<T>) {
      T bits{0};
      for (const T& v : x) bits = static_cast<T>(bits ^ v);
      ASSERT_EQ(pleat::reduce(machine, x, T{0}, std::bit_xor<>(), with(vps)), bits);
    }
  });
}

TYPED_TEST(reduce_of, any_number_of_vps_gives_the_same_bits) {
  using T = TypeParam;
  auto machine = strict_machine(2);
  std::mt19937_64 random(1);
  for (const std::size_t n : {5u, 300u, 5000u, 100003u, 400000u}) {
    std::vector<T> x(n);
    for (T& v : x) v = static_cast<T>(static_cast<double>(random() % 1000003) / 9970.0);
    const auto lambda = [](T a, T b) { return static_cast<T>(a + b); };
    const T sum = pleat::reduce(machine, x, T{0});
    const T by_lambda = pleat::reduce(machine, x, T{0}, lambda);
    const std::deque<T> elsewhere(x.begin(), x.end());
    ASSERT_EQ(pleat::reduce(machine, elsewhere, T{0}), sum);
    for (const std::size_t vps : vp_counts) {
      ASSERT_EQ(pleat::reduce(machine, x, T{0}, {}, with(vps)), sum);
      ASSERT_EQ(pleat::reduce(machine, x, T{0}, lambda, with(vps)), by_lambda);
    }
  }
}

TEST(reduce, has_the_rounding_error_of_a_tree) {
  const std::vector<float> x(large, 0.1f);
  const float sum = pleat::reduce(x, 0.0f);
  EXPECT_NEAR(sum, 0.1f * large, 0.1f * large * 20 * std::numeric_limits<float>::epsilon());
}

TEST(reduce, keeps_the_order_of_operands_that_do_not_commute) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<std::string> x(n);
    std::string expected = "<";
    for (std::size_t i = 0; i < n; ++i) expected += x[i] = std::to_string(i) + " ";
    ASSERT_EQ(pleat::reduce(machine, x, std::string("<"), {}, with(vps)), expected);
    ASSERT_EQ(pleat::reduce(
                  machine, std::views::iota(std::size_t{0}, n), std::string("<"), {},
                  [](std::size_t i) { return std::to_string(i) + " "; }, with(vps)),
              expected);
  });
}

TEST(reduce, moves_values_that_cannot_be_copied) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    const std::vector<int> x(n, 3);
    const moved_only sum = pleat::reduce(machine, x, moved_only(1), std::plus<>(), with(vps));
    ASSERT_EQ(sum.value(), 1 + 3 * static_cast<long>(n));
  });
}

TEST(reduce, converts_elements_to_the_type_of_the_result) {
  auto machine = strict_machine(2);
  const std::vector<std::int8_t> x(10000, 100);
  EXPECT_EQ(pleat::reduce(machine, x, 0L, {}, with(3)), 1'000'000);
  const std::vector<bool> bits(1000, true);
  EXPECT_EQ(pleat::reduce(machine, bits, 0, {}, with(3)), 1000);
  EXPECT_EQ(pleat::reduce(machine, bits, true, std::logical_and<>(), with(3)), true);
}

TEST(transform_reduce, sums_what_a_function_makes_of_one_range_or_two) {
  auto machine = strict_machine(2);
  for_all([&](std::size_t n, std::size_t vps) {
    std::vector<long> a(n), b(n + 5);
    std::iota(a.begin(), a.end(), 1);
    std::iota(b.begin(), b.end(), 7);
    long squares = 5, product = 5;
    for (std::size_t i = 0; i < n; ++i) {
      squares += a[i] * a[i];
      product += a[i] * b[i];
    }
    ASSERT_EQ(pleat::transform_reduce(
                  machine, a, 5L, std::plus<>(), [](long x) { return x * x; }, with(vps)),
              squares);
    ASSERT_EQ(pleat::transform_reduce(machine, a, b, 5L, {}, {}, with(vps)), product);
  });
}

TEST(reduce, is_one_superstep_in_which_vp_0_gets_the_sums) {
  pleat::machine machine({.processors = 1, .trace = pleat::tracing{}});
  const std::vector<int> x(1 << 16, 1);
  pleat::run_report report;
  EXPECT_EQ(pleat::reduce(machine, x, 0, {}, {.vps = 8, .report = &report}), 1 << 16);
  ASSERT_EQ(report.vps, 8u);
  EXPECT_EQ(report.supersteps[0], 1u);
  EXPECT_EQ(report.messages, 7u);
}

TEST(reduce, takes_two_iterators) {
  auto machine = strict_machine(2);
  const std::vector<int> x(1000, 3);
  EXPECT_EQ(pleat::reduce(machine, x.begin() + 1, x.end(), 5), 5 + 999 * 3);
  EXPECT_EQ(pleat::reduce(x.data(), x.data() + 10, 1L, std::multiplies<>(), {.vps = 2}), 59049);
}

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

TEST(histogram, counts_what_is_in_each_bin) {
  auto machine = strict_machine(3);
  for_all([&](std::size_t n, std::size_t vps) {
    for (const std::size_t bins : {1u, 3u, 64u, 1000u}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<std::uint32_t> x(n);
      for (auto& v : x) v = static_cast<std::uint32_t>(random());
      std::vector<std::size_t> expected(bins), counts(bins, 77);
      for (const auto v : x) ++expected[v % bins];
      pleat::histogram(
          machine, x, counts, [bins](std::uint32_t v) { return v % bins; }, with(vps));
      ASSERT_EQ(counts, expected);
    }
  });
}

TEST(histogram, takes_bytes_as_bins_and_views) {
  auto machine = strict_machine(2);
  const std::vector<std::uint8_t> bytes(1000, 200);
  std::deque<int> counts(256);
  pleat::histogram(machine, bytes, counts, {}, with(3));
  EXPECT_EQ(counts[200], 1000);
  std::vector<std::uint8_t> few(10);
  pleat::histogram(
      machine, std::views::iota(0, 1000), few, [](int i) { return i / 100; }, with(7));
  EXPECT_EQ(few, std::vector<std::uint8_t>(10, 100));
}

TEST(histogram, counts_the_bits_of_a_vector_of_bool) {
  auto machine = strict_machine(2);
  std::vector<bool> bits(1000);
  for (std::size_t i = 0; i < bits.size(); i += 3) bits[i] = true;
  std::vector<int> counts(2);
  pleat::histogram(machine, bits, counts, {}, with(3));
  EXPECT_EQ(counts, (std::vector<int>{666, 334}));
}

}  // namespace reduce_test
