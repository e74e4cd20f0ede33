// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace pleat::bench {

/// Factor by which samples may differ: see summary::unsteady.
inline constexpr double most_apart = 10;

/// Summary that is reported of a set of repetitions.
struct summary {
  double median = 0;
  double low = 0;    ///< first quartile
  double high = 0;   ///< third quartile
  double least = 0;  ///< the fastest

  /// Returns whether a quarter of the samples took more than ten times as long as the fastest: then
  /// something else was measured besides, such as two runtimes that wait for each other's cores,
  /// and the median says nothing about the program.
  [[nodiscard]] bool unsteady() const { return high > most_apart * least; }

  /// Half the distance between the quartiles relative to the median: 0.02 reads "± 2 %".
  [[nodiscard]] double spread() const { return median == 0 ? 0 : (high - low) / 2 / median; }
};

/// The value below which a share `q` of the samples lies, linear between neighbours.
///
/// Requires: samples not empty, 0 <= q <= 1. Cost: O(m log m), a copy.
[[nodiscard]] double quantile(std::span<const double> samples, double q);

/// Median and quartiles. Requires: samples not empty.
[[nodiscard]] summary summarise(std::span<const double> samples);

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
