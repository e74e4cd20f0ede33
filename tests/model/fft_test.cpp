// SPDX-License-Identifier: Apache-2.0
// Counted costs of the Fourier transform with one number a VP: Bilardi, Pietracaprina, Pucci,
// Scquizzato, Silvestri, Network-Oblivious Algorithms, 2016, section 4.2.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/machine.hpp>

namespace fft_test {

using numbers = std::vector<std::complex<double>>;

numbers signal(unsigned bits, double seed) {
  numbers x(std::size_t{1} << bits);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = {std::sin(seed * static_cast<double>(i * i)), std::cos(seed + static_cast<double>(i))};
  return x;
}

/// The transform of 2^bits numbers, one a virtual processor.
pleat::cost_trace costs_of_fft(unsigned bits, bool dummies = false, double seed = 1) {
  numbers x = signal(bits, seed);
  pleat::machine counting({.trace = pleat::tracing{.dummies = dummies}});
  pleat::run_report report = pleat::fft(counting, x, {.vps = x.size()});
  return *std::move(report.costs);
}

/// One superstep for every segment that is divided, by label: √m segments of √m, twice.
void expect_level(unsigned label, unsigned bits, std::map<unsigned, std::uint64_t>& expected) {
  if (bits == 0) return;
  ++expected[label];
  if (bits == 1) return;
  const unsigned half = bits / 2;
  expect_level(label + bits - half, half, expected);
  expect_level(label + half, bits - half, expected);
}

TEST(theorem_of_fft, every_division_is_one_superstep_with_its_segments_label) {
  for (unsigned bits = 1; bits <= 12; ++bits) {
    std::map<unsigned, std::uint64_t> expected;
    expect_level(0, bits, expected);
    const pleat::cost_trace costs = costs_of_fft(bits);
    for (unsigned label = 0; label < bits; ++label)
      EXPECT_EQ(costs.S(label), expected[label]) << "label " << label << ", 2^" << bits;
  }
}

TEST(theorem_of_fft, level_i_has_two_to_the_i_supersteps) {
  const pleat::cost_trace costs = costs_of_fft(8);  // labels (1 − 1/2^i)·8
  EXPECT_EQ(costs.S(0), 1U);
  EXPECT_EQ(costs.S(4), 2U);
  EXPECT_EQ(costs.S(6), 4U);
  EXPECT_EQ(costs.S(7), 8U);
  for (const unsigned label : {1U, 2U, 3U, 5U}) EXPECT_EQ(costs.S(label), 0U);
}

TEST(theorem_of_fft, communication_stays_within_a_constant_of_the_lower_bound) {
  for (unsigned bits = 2; bits <= 14; ++bits) {
    const pleat::cost_trace costs = costs_of_fft(bits);
    for (unsigned j = 1; j <= bits; ++j) {
      const double share = std::exp2(bits - j);
      const double bound = share * bits / std::max(1.0, std::log2(share));
      EXPECT_LE(costs.H(j, 0), 2 * bound) << "2^" << bits << " on 2^" << j;
      // Every superstep costs σ, which the bound has only once.
      EXPECT_LE(costs.H(j, share), 4 * bound) << "2^" << bits << " on 2^" << j;
    }
  }
}

TEST(theorem_of_fft, it_is_static) {
  EXPECT_FALSE(first_difference(costs_of_fft(9, false, 1), costs_of_fft(9, false, 2)));
}

TEST(theorem_of_fft, dummy_messages_make_it_wise) {
  for (const unsigned bits : {4U, 8U, 11U})
    for (unsigned j = 1; j <= bits; ++j) EXPECT_GE(costs_of_fft(bits, true).wiseness(j), 0.5);
}

}  // namespace fft_test
