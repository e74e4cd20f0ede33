// SPDX-License-Identifier: Apache-2.0
// Counted costs of matrix multiplication, beside what the paper proves of them: Bilardi,
// Pietracaprina, Pucci, Scquizzato, Silvestri, "Network-Oblivious Algorithms", section 4.1.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/matmul.hpp>

#include "base/sanitizer.hpp"

namespace matmul_test {

using pleat::cost_trace, pleat::matmul_recursion;

/// The literal product of 2^(bits/2) × 2^(bits/2) matrices, an element of each in a VP.
cost_trace costs_of_matmul(unsigned bits, matmul_recursion recursion, bool dummies = false) {
  const std::size_t side = std::size_t{1} << bits / 2;
  std::mt19937_64 random(bits);
  std::vector<std::uint64_t> a(side * side), b(side * side), c(side * side);
  for (auto& x : a) x = random();
  for (auto& x : b) x = random();
  const auto view = [side](auto& m) { return pleat::strided_view(m.data(), side, side, side); };
  pleat::machine counting({.trace = pleat::tracing{.dummies = dummies}});
  pleat::run_report report = pleat::matmul(counting, view(a), view(b), view(c),
                                           {.recursion = recursion, .vps = side * side});
  const std::size_t i = random() % side, j = random() % side;
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < side; ++k) sum += a[i * side + k] * b[k * side + j];
  EXPECT_EQ(c[i * side + j], sum);
  return *std::move(report.costs);
}

constexpr unsigned most_bits = pleat::detail::sanitized ? 10 : 16;

/// Counts a product without dummies, once for all tests of a process.
const cost_trace& counted_matmul(unsigned bits, matmul_recursion recursion) {
  static std::map<std::pair<unsigned, matmul_recursion>, cost_trace> all;
  const std::pair key(bits, recursion);
  const auto found = all.find(key);
  return found != all.end() ? found->second
                            : all.emplace(key, costs_of_matmul(bits, recursion)).first->second;
}

TEST(theorem_of_matmul, eight_way_level_i_has_two_supersteps_with_label_3i) {
  for (unsigned bits = 2; bits <= most_bits; bits += 2) {
    const cost_trace& costs = counted_matmul(bits, matmul_recursion::eight_way);
    for (unsigned label = 0; label < costs.labels(); ++label)
      EXPECT_EQ(costs.S(label), label % 3 == 0 ? 2u : 0u) << "n = 2^" << bits;
    for (const auto& superstep : costs.supersteps()) {
      const double level = superstep.label / 3;
      EXPECT_LE(static_cast<double>(superstep.h.back()), 4 * std::exp2(level))
          << "O(2^i) messages per VP at level i, label " << superstep.label;
    }
  }
}

TEST(theorem_of_matmul, four_way_level_i_has_two_to_the_i_plus_1_supersteps_with_label_2i) {
  for (unsigned bits = 2; bits <= std::min(most_bits, 14u); bits += 2) {
    const cost_trace& costs = counted_matmul(bits, matmul_recursion::four_way);
    for (unsigned label = 0; label < costs.labels(); ++label)
      EXPECT_EQ(costs.S(label), label % 2 == 0 ? std::uint64_t{2} << label / 2 : 0u)
          << "n = 2^" << bits;
    for (const auto& superstep : costs.supersteps())
      EXPECT_LE(superstep.h.back(), 2u) << "O(1) messages per VP and superstep";
  }
}

TEST(theorem_of_matmul, eight_way_h_is_within_a_constant_of_the_bound) {
  double greatest = 0;
  for (unsigned bits = 2; bits <= most_bits; bits += 2) {
    const cost_trace& costs = counted_matmul(bits, matmul_recursion::eight_way);
    for (unsigned j = 1; j <= bits; ++j) {
      const double bound = std::exp2(bits) / std::cbrt(std::exp2(2 * j));
      greatest = std::max(greatest, costs.H(j, 0) / bound);
      const double sigma = 1000;  // one superstep in each of the levels the folding sees, twice
      EXPECT_LE(costs.H(j, sigma) - costs.H(j, 0), sigma * 2 * std::ceil(j / 3.0));
    }
  }
  RecordProperty("greatest_ratio_in_thousandths", static_cast<int>(1000 * greatest));
  EXPECT_LE(greatest, 5.5);
}

TEST(theorem_of_matmul, four_way_h_is_within_a_constant_of_the_bound) {
  double greatest = 0;
  for (unsigned bits = 2; bits <= std::min(most_bits, 14u); bits += 2) {
    const cost_trace& costs = counted_matmul(bits, matmul_recursion::four_way);
    for (unsigned j = 1; j <= bits; ++j) {
      greatest = std::max(greatest, costs.H(j, 0) / (std::exp2(bits) / std::sqrt(std::exp2(j))));
      const double sigma = 1000;
      EXPECT_LE(costs.H(j, sigma) - costs.H(j, 0), sigma * 3 * std::sqrt(std::exp2(j)));
    }
  }
  RecordProperty("greatest_ratio_in_thousandths", static_cast<int>(1000 * greatest));
  EXPECT_LE(greatest, 4);
}

TEST(theorem_of_matmul, dummy_messages_make_both_wise) {
  for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
    for (unsigned bits = 2; bits <= std::min(most_bits, 12u); bits += 2) {
      const cost_trace costs = costs_of_matmul(bits, recursion, true);
      for (unsigned j = 1; j <= bits; ++j)
        EXPECT_GE(costs.wiseness(j), 0.375) << "n = 2^" << bits << ", p = 2^" << j;
    }
}

TEST(theorem_of_matmul, other_numbers_of_vps_count_as_the_power_of_two_below) {
  const std::size_t side = 12;
  std::vector<double> a(side * side), c(side * side);
  const pleat::strided_view<double> factor(a.data(), side, side, side);
  const pleat::strided_view<double> result(c.data(), side, side, side);
  for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
    for (const std::size_t vps : {6, 12, 15}) {
      pleat::machine counting({.trace = pleat::tracing{}});
      const auto costs_on = [&](std::size_t asked) {
        pleat::run_report report =
            pleat::matmul(counting, factor, factor, result, {.recursion = recursion, .vps = asked});
        return *std::move(report.costs);
      };
      const cost_trace costs = costs_on(vps);
      EXPECT_FALSE(first_difference(costs, costs_on(std::bit_floor(vps))));
      EXPECT_GT(costs.wiseness(1), 0) << vps;
    }
}

TEST(theorem_of_matmul, both_are_static) {
  for (const auto recursion : {matmul_recursion::eight_way, matmul_recursion::four_way})
    EXPECT_FALSE(first_difference(costs_of_matmul(6, recursion), costs_of_matmul(6, recursion)));
}

}  // namespace matmul_test
