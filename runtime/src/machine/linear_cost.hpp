// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <pleat/runtime/probe.hpp>

namespace pleat::detail {

/// T(h) = l + g · h.
struct linear_cost {
  double g = 0;
  double l = 0;
};

/// Fits the line with the least sum of squared relative errors ((l + g·h_k − t_k) / t_k)², with no
/// coefficient below 0. Requires: at least two different h, all t > 0.
[[nodiscard]] linear_cost fit_line(std::span<const double> h, std::span<const double> t);

/// Median of the values; for an even number of values, the mean of the two in the middle. Requires:
/// not empty.
[[nodiscard]] PLEAT_API double median_of(std::vector<double> values);

/// Number of values that lie above the median by more than five times the scaled median deviation.
[[nodiscard]] PLEAT_API std::size_t count_outliers(std::span<const double> values);

/// Fits the medians of `samples[k][round]` at `h[k]`, with intervals by bootstrap. Each of
/// `resamples` resamples has as many rounds as there are, drawn with replacement in blocks of
/// `block` consecutive rounds, the same for all k. The intervals are wider if neighbouring blocks
/// are correlated, because the machine then drifts. Requires: block divides the number of rounds.
PLEAT_API void estimate_line(std::span<const double> h,
                             const std::vector<std::vector<double>>& samples, std::size_t block,
                             std::uint64_t seed, unsigned resamples, estimate& g, estimate& l);

}  // namespace pleat::detail
