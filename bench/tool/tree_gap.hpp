// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "evaluated_program.hpp"

namespace pleat::bench {

/// Loss of a tree whose degree does not know σ.
struct tree_gap {
  double least_sigma, most_sigma;
  double gap;        ///< the largest ratio of its H to that of the best degree, on v processors
  double sigma;      ///< where it is
  double lowest;     ///< what no program without σ is below, up to a constant
  std::size_t best;  ///< the best degree there
};

/// Counts a tree of every degree, and compares the asked one with the best at every power of two
/// from the least to the largest of the σ. Empty for programs that are no tree, and for one σ.
///
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.5, Theorem 8 (GAP).
[[nodiscard]] std::optional<tree_gap> gap_of(const evaluated_program& program,
                                             evaluation_request request,
                                             const std::vector<double>& sigmas);

}  // namespace pleat::bench
