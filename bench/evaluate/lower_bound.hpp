// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>

namespace pleat::bench {

// Lower bounds on the evaluation model M(p, σ), up to a constant factor, on the communication
// complexity H(n, p, σ) of any algorithm, to divide measured ones by. A ratio that stays between
// two constants as n and p grow shows an optimal program; its value for one n and p shows nothing,
// and may be below 1.
//
// Each problem has its own in bound_PROBLEM.hpp. There n is the number of elements of the input,
// one of them for each virtual processor, unless said otherwise. One processor communicates
// nothing: for p = 1 all bounds are 0.
//
// Requires: 1 ≤ p ≤ elements; σ ≥ 0. Pure functions. Logarithms are to base 2.
// Source, unless said otherwise: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri,
// Network-Oblivious Algorithms, section 4, where the classes of algorithms they hold for are stated
// (no processor does more than a constant fraction of the work).

/// Bound as all of them have it: one processor pays nothing, several pay for `messages(p)` and for
/// one superstep at least.
template <class Messages>
[[nodiscard]] double lower_bound(std::size_t p, double sigma, const Messages& messages) {
  assert(p >= 1 && sigma >= 0);
  return p == 1 ? 0 : messages(static_cast<double>(p)) + sigma;
}

}  // namespace pleat::bench
