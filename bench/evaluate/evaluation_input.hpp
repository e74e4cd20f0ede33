// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "evaluated_program.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {

// Parts that evaluated programs have in common: machine options, input, accepted sizes and lower
// bounds.

using values = std::vector<std::uint64_t>;

[[nodiscard]] inline machine_options traced(const evaluation_request& request) {
  machine_options options;
  // One worker counts, so the environment's placement and memory policy are not used.
  options.place = placement_request{};
  options.memory = memory_policy{};
  options.trace = tracing{request.dummies, request.processors,
                          request.messages || request.routing == routing::ascend_descend};
  return options;
}

[[nodiscard]] inline values random_values(const evaluation_request& request) {
  values result(request.n);
  fill_keys<std::uint64_t>(result, distribution("random"), request.seed);
  return result;
}

/// Throws: pleat::error naming the program if its result is not right.
inline void verify(bool right, std::string_view program) {
  if (!right) throw error("verification failed: " + std::string(program) + " computed nonsense");
}

inline constexpr accepted_sizes any_size{"any number from 2", [](std::size_t n) { return n >= 2; }};
inline constexpr accepted_sizes power_of_two{
    "a power of two, 2 or more", [](std::size_t n) { return n >= 2 && std::has_single_bit(n); }};
inline constexpr accepted_sizes power_of_four{
    "a power of four, 4 or more",
    [](std::size_t n) { return power_of_two.accepts(n) && std::countr_zero(n) % 2 == 0; }};
inline constexpr accepted_sizes power_of_eight{
    "a power of eight, 8 or more",
    [](std::size_t n) { return power_of_two.accepts(n) && std::countr_zero(n) % 3 == 0; }};

// Lower bounds, up to a constant factor, on the communication complexity H(n, p, σ) of any
// algorithm on the evaluation model M(p, σ). Measured complexities are divided by them. A ratio
// that stays between two constants as n and p grow shows an optimal program; its value for one n
// and p shows nothing, and may be below 1.
//
// n is the number of elements of the input, one of them for each virtual processor, unless said
// otherwise. One processor communicates nothing: for p = 1 all bounds are 0.
//
// Requires: 1 ≤ p ≤ elements; σ ≥ 0. Pure functions. Logarithms are to base 2.
// Source, unless said otherwise: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri,
// Network-Oblivious Algorithms, section 4, where the classes of algorithms they hold for are stated
// (no processor does more than a constant fraction of the work).

/// Returns 0 for p = 1, since one processor communicates nothing; else `messages(p)` + σ, because
/// there is at least one superstep.
template <class Messages>
[[nodiscard]] double lower_bound(std::size_t p, double sigma, const Messages& messages) {
  assert(p >= 1 && sigma >= 0);
  return p == 1 ? 0 : messages(static_cast<double>(p)) + sigma;
}

/// Broadcast of one value to all processors: max(2, σ) · log_max(2, σ) p, for any n. A superstep of
/// degree h multiplies the number of processors that have the value by at most h + 1. For σ > p the
/// formula is less than σ, the cost of the one superstep that is needed. Source: section 4.5,
/// Theorem 7.
[[nodiscard]] inline double broadcast_lower_bound(std::size_t p, double sigma) {
  assert(p >= 1 && sigma >= 0);
  const double degree = std::max(2.0, sigma);
  return degree * std::log2(static_cast<double>(p)) / std::log2(degree);
}

/// Prefix sums with any associative operator, one value in each virtual processor: as broadcast.
/// The last result depends on the values of all processors. A superstep of degree h multiplies the
/// number of processors on whose values a result can depend by at most h + 1. Source: ours, from
/// section 4.5.
[[nodiscard]] inline double prefix_lower_bound(std::size_t p, double sigma) {
  return broadcast_lower_bound(p, sigma);
}

// Bounds for n × n matrices.

/// Transposition of a matrix by rows: n²/p + σ, as most elements move to another processor.
[[nodiscard]] inline double transpose_lower_bound(std::size_t n, std::size_t p, double sigma) {
  const auto side = static_cast<double>(n);
  return lower_bound(p, sigma, [side](double q) { return side * side / q; });
}

/// Closure, Cholesky's factorisation and n right-hand sides of a triangular matrix, where a
/// processor has room for O(n²/p) elements: n²/√p + σ.
/// Source: Ballard, Demmel, Holtz, Schwartz, Minimizing Communication in Numerical Linear Algebra,
/// 2011.
[[nodiscard]] inline double elimination_lower_bound(std::size_t n, std::size_t p, double sigma) {
  const auto side = static_cast<double>(n);
  return lower_bound(p, sigma, [side](double q) { return side * side / std::sqrt(q); });
}

/// Fourier transform: n log n / (p log(n/p)) + σ. For p > n/2 the formula has 1 in place of
/// log(n/p): a processor with one element still takes part in log n levels of the graph. Source:
/// section 4.2; Scquizzato, Silvestri, 2014.
[[nodiscard]] inline double fft_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return lower_bound(p, sigma, [n](double q) {
    const double share = static_cast<double>(n) / q;
    return share * std::log2(static_cast<double>(n)) / std::max(1.0, std::log2(share));
  });
}

/// Sorting by comparisons: as fft_lower_bound. Source: section 4.3; Scquizzato, Silvestri, 2014.
[[nodiscard]] inline double sort_lower_bound(std::size_t n, std::size_t p, double sigma) {
  return fft_lower_bound(n, p, sigma);
}

/// Product of √n × √n matrices over a semiring: n/p^(2/3) + σ. Source: section 4.1; Scquizzato,
/// Silvestri, Communication Lower Bounds for Distributed-Memory Computations, 2014.
[[nodiscard]] inline double matmul_lower_bound(std::size_t n, std::size_t p, double sigma) {
  assert(p <= n);
  return lower_bound(p, sigma, [n](double q) { return static_cast<double>(n) / std::cbrt(q * q); });
}

/// That product, with room for O(n/p) elements per processor: n/√p + σ. Source: section 4.1; Irony,
/// Toledo, Tiskin, Communication Lower Bounds for Distributed-Memory Matrix Multiplication, 2004.
[[nodiscard]] inline double matmul_in_place_lower_bound(std::size_t n, std::size_t p,
                                                        double sigma) {
  assert(p <= n);
  return lower_bound(p, sigma, [n](double q) { return static_cast<double>(n) / std::sqrt(q); });
}

/// n messages from one virtual processor to one on another processor: exactly n + σ, since one
/// processor sends all n. Source: section 5 (the example of a program that is full but not wise).
[[nodiscard]] inline double point_to_point_lower_bound(std::size_t n, std::size_t p, double sigma) {
  return lower_bound(p, sigma, [n](double) { return static_cast<double>(n); });
}

/// Stencils of n^d points for n steps, the neighbours at distance 1 in every dimension:
/// n^d/p^((d − 1)/d) + σ, for p ≤ n^d. Requires d ≥ 1. Source: section 4.4.
[[nodiscard]] inline double stencil_lower_bound(std::size_t n, unsigned d, std::size_t p,
                                                double sigma) {
  assert(d >= 1);
  return lower_bound(p, sigma, [n, d](double q) {
    return std::pow(static_cast<double>(n), d) / std::pow(q, (d - 1.0) / d);
  });
}

}  // namespace pleat::bench
