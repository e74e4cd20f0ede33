// SPDX-License-Identifier: Apache-2.0
// Counted costs of stencils, beside what the paper proves of them: Bilardi, Pietracaprina, Pucci,
// Scquizzato, Silvestri, "Network-Oblivious Algorithms", section 4.4.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/stencil/coordinates.hpp>
#include <pleat/oblivious/detail/stencil/diamonds.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"

namespace stencil_test {

using pleat::cost_trace;
using namespace pleat::detail::stencils;

template <std::size_t D> std::uint64_t sum_of_neighbours(const auto& u) {
  std::uint64_t sum = 0;
  for (int i = -1; i <= 1; ++i)
    if constexpr (D == 1)
      sum += u(i);
    else
      for (int j = -1; j <= 1; ++j) sum += u(i, j);
  return sum;
}

/// A grid of side 2^log_n for 2^log_n steps, one point a virtual processor.
template <std::size_t D>
cost_trace costs_of_stencil(unsigned log_n, bool dummies = false, std::uint64_t seed = 1) {
  const std::size_t v = std::size_t{1} << D * log_n;
  std::vector<std::uint64_t> now(v, seed);
  std::array<std::size_t, D> size;
  size.fill(std::size_t{1} << log_n);
  pleat::machine counting({.trace = pleat::tracing{.dummies = dummies}});
  pleat::run_report report =
      pleat::stencil(counting, pleat::grid_view<std::uint64_t, D>(now.data(), size),
                     std::size_t{1} << log_n, [](const auto& u) { return sum_of_neighbours<D>(u); },
                     {.edges = pleat::boundary::reflecting, .vps = v});
  // Every step makes all values 3^D times what they were.
  std::uint64_t expected = seed;
  for (std::size_t t = 0; t < std::size_t{1} << log_n; ++t) expected *= D == 1 ? 3 : 9;
  EXPECT_EQ(std::ranges::count(now, expected), static_cast<std::ptrdiff_t>(v));
  return *std::move(report.costs);
}

/// The sums of the phases of each stage of a square of 4^log_n points.
std::vector<std::vector<sums<2>>> phases_of_stages(unsigned log_n) {
  const offset n = offset{1} << log_n;
  const diamonds<2> plan({n, n}, {pleat::boundary::fixed, pleat::boundary::fixed}, n);
  const auto whole = plan.whole({0, std::size_t{1} << 2 * log_n, 0}, n);
  std::vector<std::vector<sums<2>>> result;
  for (auto stage = plan.first(whole); stage; stage = plan.next(whole, *stage)) {
    const auto part = plan.part(whole, *stage, 0);
    result.emplace_back();
    for (auto phase = plan.first(part); phase; phase = plan.next(part, *phase))
      result.back().push_back(phase->s);
  }
  return result;
}

/// log2 k = ⌈√log2 n⌉.
unsigned log_cuts(unsigned log_n) {
  unsigned root = 0;
  while (root * root < log_n) ++root;
  return root;
}

template <std::size_t D> constexpr unsigned most_bits = 0;  // of the side
template <> constexpr unsigned most_bits<1> = pleat::detail::sanitized ? 6 : 8;
template <> constexpr unsigned most_bits<2> = pleat::detail::sanitized ? 3 : 4;

/// By label: the supersteps that begin the phases of a tile, the segment's label given.
void expect_row(unsigned label, unsigned log_w, unsigned cuts, std::uint64_t times,
                std::map<unsigned, std::uint64_t>& expected) {
  if (log_w == 0) return;
  const bool points = log_w <= cuts;  // the parts: then step by step, every other stripe has none
  const std::uint64_t phases = points ? std::uint64_t{1} << log_w : (std::uint64_t{2} << cuts) - 1;
  expected[label] += times * phases;
  if (!points) expect_row(label + cuts, log_w - cuts, cuts, times * phases, expected);
}

TEST(theorem_of_1_stencil, level_i_has_2k_minus_1_to_the_i_supersteps_in_each_of_five_stages) {
  for (unsigned log_n = 4; log_n <= most_bits<1>; ++log_n) {
    const unsigned cuts = log_cuts(log_n);
    const std::uint64_t k = std::uint64_t{1} << cuts;
    const cost_trace costs = costs_of_stencil<1>(log_n);
    // The full diamond has 2k − 1 stripes. Of the quarters there are the upper k, or the lower k
    // and the last, in which results go home. Each stage begins with a superstep, and one brings
    // the results of the last stage to where the grid has them.
    std::map<unsigned, std::uint64_t> expected;
    const std::uint64_t phases = (2 * k - 1) + 2 * k + 2 * (k + 1);
    expected[0] = 5 + phases + 1;
    expect_row(cuts, log_n - cuts, cuts, phases, expected);
    for (unsigned label = 0; label < costs.labels(); ++label)
      EXPECT_EQ(costs.S(label), expected[label]) << "n = 2^" << log_n << ", label " << label;
    for (const auto& superstep : costs.supersteps())
      EXPECT_LE(superstep.h.back(), 4u) << "O(1) messages per VP and superstep";
  }
}

TEST(theorem_of_2_stencil, is_17_stages_of_4k_minus_3_stripes_at_most) {
  for (unsigned log_n = 2; log_n <= 6; ++log_n) {
    const auto stages = phases_of_stages(log_n);
    const unsigned cuts = log_cuts(log_n);
    const std::size_t k = std::size_t{1} << cuts;
    ASSERT_EQ(stages.size(), 17u);
    std::size_t full = 0;
    for (const auto& phases : stages) {
      std::set<offset> stripes;
      for (const auto& phase : phases) stripes.insert(phase[0] + phase[1]);
      EXPECT_LE(stripes.size(), 4 * k - 3);
      if (log_n <= cuts) continue;
      if (stripes.size() < 4 * k - 3) continue;
      ++full;
      EXPECT_EQ(phases.size(), 6 * k - 5);
    }
    EXPECT_EQ(full, log_n > cuts ? 1u : 0u) << "the octahedron in the middle";
  }
}

/// Expects the counts for d = 2: octahedra have 2k − 1 phases of octahedra, 2k − 2 of each kind of
/// tetrahedra; tetrahedra k − 1 of octahedra, k of their own kind and k − 2 of the other.
void expect_plane(unsigned label, unsigned log_w, unsigned cuts, std::uint64_t octahedra,
                  std::uint64_t tetrahedra, std::map<unsigned, std::uint64_t>& expected) {
  if (log_w == 0) return;
  if (log_w <= cuts) {  // the parts are points
    expected[label] += (octahedra << log_w) + (tetrahedra << (log_w - 1));
    return;
  }
  const std::uint64_t k = std::uint64_t{1} << cuts;
  expected[label] += octahedra * (6 * k - 5) + tetrahedra * (3 * k - 3);
  expect_plane(label + 2 * cuts, log_w - cuts, cuts, octahedra * (2 * k - 1) + tetrahedra * (k - 1),
               octahedra * 2 * (2 * k - 2) + tetrahedra * (2 * k - 2), expected);
}

TEST(theorem_of_2_stencil, a_stripe_is_one_phase_of_octahedra_or_two_of_tetrahedra) {
  for (unsigned log_n = 2; log_n <= most_bits<2>; ++log_n) {
    const unsigned cuts = log_cuts(log_n);
    const cost_trace costs = costs_of_stencil<2>(log_n);
    std::map<unsigned, std::uint64_t> expected;
    expected[0] = 1;  // at the end
    std::uint64_t octahedra = 0, tetrahedra = 0;
    for (const auto& phases : phases_of_stages(log_n)) {
      expected[0] += 1 + phases.size();
      for (const auto& phase : phases) ++(phase[0] == phase[1] ? octahedra : tetrahedra);
    }
    if (log_n > cuts) expect_plane(2 * cuts, log_n - cuts, cuts, octahedra, tetrahedra, expected);
    for (unsigned label = 0; label < costs.labels(); ++label)
      EXPECT_EQ(costs.S(label), expected[label]) << "n = 2^" << log_n << ", label " << label;
    for (const auto& superstep : costs.supersteps())
      EXPECT_LE(superstep.h.back(), 12u) << "O(1) messages per VP and superstep";
  }
}

/// H in proportion to the theorem's n^d/p^((d − 1)/d) · (2^(d+1))^√log2 n, and in proportion to the
/// lower bound without the second factor; each at worst.
struct proportions {
  double theorem = 0, with_latency = 0, lower_bound = 0;
};
template <std::size_t D> proportions greatest_proportions() {
  proportions greatest;
  for (unsigned log_n = 2; log_n <= most_bits<D> + (pleat::detail::sanitized ? 0 : 1); ++log_n) {
    const cost_trace costs = costs_of_stencil<D>(log_n);
    for (unsigned j = 1; j <= D * log_n; ++j) {
      const double share = std::exp2(D * log_n - j);
      const double lower = std::exp2(D * log_n - j * (D - 1.0) / D);
      const double theorem = lower * std::pow(std::exp2(D + 1), std::sqrt(log_n));
      greatest.theorem = std::max(greatest.theorem, costs.H(j, 0) / theorem);
      greatest.with_latency = std::max(greatest.with_latency, costs.H(j, share) / theorem);
      greatest.lower_bound = std::max(greatest.lower_bound, costs.H(j, 0) / lower);
    }
  }
  std::cout << "H at most " << greatest.theorem << " times the theorem's, with σ = n^d/p "
            << greatest.with_latency << " times; " << greatest.lower_bound
            << " times the lower bound\n";
  return greatest;
}

TEST(theorem_of_1_stencil, h_is_within_a_constant_of_the_formula) {
  const proportions greatest = greatest_proportions<1>();
  EXPECT_LE(greatest.theorem, 1);
  EXPECT_LE(greatest.with_latency, 2);
}
TEST(theorem_of_2_stencil, h_is_within_a_constant_of_the_formula) {
  const proportions greatest = greatest_proportions<2>();
  EXPECT_LE(greatest.theorem, 6);
  EXPECT_LE(greatest.with_latency, 8);
}

TEST(theorem_of_stencils, dummy_messages_make_both_wise) {
  for (unsigned log_n = 2; log_n <= most_bits<1> - 1; ++log_n) {
    const cost_trace costs = costs_of_stencil<1>(log_n, true);
    for (unsigned j = 1; j <= log_n; ++j)
      EXPECT_GE(costs.wiseness(j), 0.375) << "n = 2^" << log_n << ", p = 2^" << j;
  }
  for (unsigned log_n = 2; log_n <= most_bits<2> - 1; ++log_n) {
    const cost_trace costs = costs_of_stencil<2>(log_n, true);
    for (unsigned j = 1; j <= 2 * log_n; ++j)
      EXPECT_GE(costs.wiseness(j), 0.375) << "n = 2^" << log_n << ", p = 2^" << j;
  }
}

TEST(theorem_of_stencils, both_are_static) {
  EXPECT_FALSE(
      first_difference(costs_of_stencil<1>(4, false, 1), costs_of_stencil<1>(4, false, 2)));
  EXPECT_FALSE(
      first_difference(costs_of_stencil<2>(2, false, 1), costs_of_stencil<2>(2, false, 2)));
}

}  // namespace stencil_test
