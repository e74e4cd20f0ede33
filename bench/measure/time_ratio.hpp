// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "median_interval.hpp"

namespace pleat::bench {

/// Ratio of the time of `after` to that of `before`: 1.05 is 5 % slower.
struct time_ratio {
  double value = 1;
  std::optional<interval> range;  ///< none where there are too few samples for the confidence
};

/// Hodges' and Lehmann's estimate: the median of the ratios of all pairs of samples, and the
/// interval that goes with the Mann-Whitney test. What outliers there are hardly moves it.
///
/// Requires: no side empty; all samples above zero and finite. Cost: O(N log N), whatever the
/// number of pairs.
/// Source: J. L. Hodges, E. L. Lehmann, Estimates of location based on rank tests, Annals of
/// Mathematical Statistics 34, 1963, on the logarithms of the times.
[[nodiscard]] time_ratio ratio_of_times(std::span<const double> before,
                                        std::span<const double> after, double confidence = 0.95);

}  // namespace pleat::bench
