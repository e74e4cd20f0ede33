// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace pleat::bench {

/// All values from `low` to `high`, both included.
struct interval {
  double low = 0;
  double high = 0;
};

/// An interval that contains the median of the distribution the samples come from, with a
/// probability of at least `confidence`, whatever that distribution is.
///
/// The bounds are samples themselves: the r-th smallest and the r-th largest, with the largest r
/// for which 2 P(B < r) <= 1 - confidence, B binomial with one trial for each sample and
/// probability 1/2. None where even the smallest and the largest sample do not enclose the median
/// often enough: at 95 %, fewer than 6 samples.
///
/// Requires: 0 < confidence < 1; samples are independent and none is NaN. Cost: O(m log m), a copy.
/// Source: H. A. David, H. N. Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1.
[[nodiscard]] std::optional<interval> median_interval(std::span<const double> samples,
                                                      double confidence = 0.95);

}  // namespace pleat::bench
