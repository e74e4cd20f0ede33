// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "statistics.hpp"

namespace pleat::bench {

/// Above this number of samples of both sides together, the rank-sum test takes the normal
/// distribution in place of the exact one.
inline constexpr std::size_t most_samples_for_exact_ranks = 50;

/// Result of the Mann-Whitney test of two sets of samples, `before` and `after`.
struct rank_sum {
  /// Pairs (one of before, one of after) in which `after` is larger; a tie counts 1/2.
  double u = 0;
  /// The probability of so large a u, or a larger one, if both come from the same distribution:
  /// a small value says that `after` is larger.
  double p_larger = 1;
  /// Probability of so small a u, or a smaller one.
  double p_smaller = 1;
};

/// The Mann-Whitney test, also known as Wilcoxon's rank-sum test.
///
/// Up to most_samples_for_exact_ranks samples the probabilities are exact, counted over all ways to
/// hand out the ranks that were seen, so ties too are taken as they are. Above, they are those of
/// the normal distribution with the variance corrected for ties, and with continuity correction.
///
/// Requires: no NaN. With an empty side both probabilities are 1. Cost: O(N log N) for N samples in
/// all; where the probabilities are exact, O(N^4) with N <= 50: a few milliseconds at most.
/// Source: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition,
/// 2014, section 4.1; B. Streitberg, J. Röhmel, Exact distributions for permutation and rank tests,
/// Statistical Software Newsletter 12, 1986.
[[nodiscard]] rank_sum compare_ranks(std::span<const double> before, std::span<const double> after);

/// Number of the `before` * `after` pairs that may lie below an interval that contains the shift
/// between two distributions with this confidence: the interval goes from the pair of that rank,
/// counted from 1, to the one of the same rank from above. 0 where there are too few samples.
[[nodiscard]] std::size_t rank_of_shift(std::size_t before, std::size_t after, double confidence);

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
