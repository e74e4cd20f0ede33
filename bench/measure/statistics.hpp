// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace pleat::bench
