// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "evaluated_program.hpp"

namespace pleat::bench {

/// Loss of a tree whose degree does not know σ.
struct tree_gap {
  double least_sigma, most_sigma;
  double gap = 0;    ///< the largest ratio of its H to that of the best degree, on 2^⌊log2 v⌋
  double sigma = 0;  ///< where it is
  std::size_t best = 0;  ///< the best degree there
  double lowest = 0;     ///< what no program without σ is below, up to a constant
};

/// Number of trees that gap_of counts: one of each degree, up to that which sends to all at once.
[[nodiscard]] std::size_t gap_runs(std::size_t n);

/// Counts trees of all degrees, and compares that of `request` with the best of them. The largest
/// ratio is at one of the two ends: H is a linear function of σ for each degree, and the ratio of
/// two of these falls or rises throughout.
///
/// Calls done(i) when i trees are counted. Requires: a program that takes κ; direct routing.
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.5, Theorem 8 (GAP).
[[nodiscard]] tree_gap gap_of(const evaluated_program& program, evaluation_request request,
                              double least_sigma, double most_sigma,
                              const std::function<void(std::size_t)>& done);

}  // namespace pleat::bench
