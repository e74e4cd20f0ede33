// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/cost_trace.hpp>

#include "counted_program.hpp"

namespace model::counted {

using pleat::cost_trace, pleat::superstep_degrees;

/// Costs of a program by the definitions of the model.
struct costs_as_defined {
  struct superstep {
    unsigned label;
    std::vector<std::uint64_t> h;  // [j]
  };
  unsigned labels = 1;
  std::vector<superstep> supersteps;
  std::uint64_t messages = 0;
  /// The first superstep in which a VP ends after it has sent and others go on.
  std::optional<std::size_t> unfinished;

  costs_as_defined(const program_steps& p, bool dummies) {
    while (std::size_t{1} << labels < p.size()) ++labels;
    const auto counts = [&](std::size_t rank, const sent& m) {
      return m.destination != rank && m.elements != 0 && (m.what != kind::dummy || dummies);
    };
    for (std::size_t s = 0;; ++s) {
      std::optional<unsigned> label;
      bool last_words = false;
      for (std::size_t rank = 0; rank < p.size(); ++rank) {
        if (s >= p[rank].size()) continue;
        if (p[rank][s].label) label = p[rank][s].label;
        for (const sent& m : p[rank][s].messages)
          last_words |= !p[rank][s].label && counts(rank, m);
      }
      if (!label) return;
      if (last_words && !unfinished) unfinished = s;
      supersteps.push_back({*label, {}});
      for (unsigned j = 0; j <= labels; ++j) {
        std::vector<std::uint64_t> out(std::size_t{1} << j), in(out);
        for (std::size_t rank = 0; rank < p.size(); ++rank) {
          if (s >= p[rank].size() || !p[rank][s].label) continue;
          for (const sent& m : p[rank][s].messages) {
            if (!counts(rank, m)) continue;
            if (j == 0) messages += m.elements;
            const std::size_t from = rank >> (labels - j), to = m.destination >> (labels - j);
            if (from == to) continue;
            out[from] += m.elements;
            in[to] += m.elements;
          }
        }
        supersteps.back().h.push_back(
            std::max(*std::ranges::max_element(out), *std::ranges::max_element(in)));
      }
    }
  }
  [[nodiscard]] double S(unsigned i) const {
    return static_cast<double>(
        std::ranges::count_if(supersteps, [&](const superstep& s) { return s.label == i; }));
  }
  [[nodiscard]] double F(unsigned i, unsigned j) const {
    double sum = 0;
    for (const superstep& s : supersteps) sum += s.label == i ? static_cast<double>(s.h[j]) : 0;
    return sum;
  }
  /// Σ_{i<below} of F^i(2^j) or of S^i.
  [[nodiscard]] double F_sum(unsigned below, unsigned j) const {
    double sum = 0;
    for (unsigned i = 0; i < below; ++i) sum += F(i, j);
    return sum;
  }
  [[nodiscard]] double S_sum(unsigned below) const {
    double sum = 0;
    for (unsigned i = 0; i < below; ++i) sum += S(i);
    return sum;
  }
};

inline void expect_counted(const costs_as_defined& expected, const cost_trace& got) {
  const unsigned labels = expected.labels;
  ASSERT_EQ(got.labels(), labels);
  EXPECT_EQ(got.messages(), expected.messages);
  ASSERT_EQ(got.supersteps().size(), expected.supersteps.size());
  for (std::size_t s = 0; s < expected.supersteps.size(); ++s) {
    ASSERT_EQ(got.supersteps()[s].label, expected.supersteps[s].label) << "superstep " << s;
    ASSERT_EQ(got.supersteps()[s].h, expected.supersteps[s].h) << "superstep " << s;
  }
  for (unsigned j = 0; j <= labels; ++j) {
    for (unsigned i = 0; i < labels; ++i) {
      EXPECT_EQ(static_cast<double>(got.S(i)), expected.S(i)) << "label " << i;
      EXPECT_EQ(static_cast<double>(got.F(i, j)), expected.F(i, j)) << "label " << i << ", 2^" << j;
    }
    for (const double sigma : {0.0, 1.0, 16.5})
      EXPECT_EQ(got.H(j, sigma), expected.F_sum(j, j) + sigma * expected.S_sum(j)) << "2^" << j;
    double alpha = 1, gamma = std::numeric_limits<double>::infinity();
    for (unsigned k = 1; k <= j; ++k) {
      const double ratio = static_cast<double>(1u << (j - k)), own = expected.F_sum(k, k);
      if (expected.F_sum(k, j) > 0) alpha = std::min(alpha, own / (ratio * expected.F_sum(k, j)));
      if (expected.S_sum(k) > 0) gamma = std::min(gamma, own / (ratio * expected.S_sum(k)));
    }
    EXPECT_DOUBLE_EQ(got.wiseness(j), alpha) << "2^" << j;
    EXPECT_DOUBLE_EQ(got.fullness(j), gamma) << "2^" << j;
  }
}

}  // namespace model::counted
