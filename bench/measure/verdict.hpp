// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

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

enum class verdict { faster, slower, same, undecided };

[[nodiscard]] std::string_view name_of(verdict what);

/// The times of one case in seconds, measured twice.
struct sample_pair {
  std::vector<double> before;
  std::vector<double> after;
};

struct verdict_settings {
  /// Ratios from 1 / (1 + band) to 1 + band count as the same.
  double band = 0.02;
  /// Probability that one of all the cases is called faster or slower though it is not, or the same
  /// though it is not.
  double error = 0.05;
};

struct judgement {
  time_ratio ratio;
  double p_different = 1;  ///< corrected; of a ratio outside the band
  double p_same = 1;       ///< corrected; of a ratio inside the band
  verdict what = verdict::undecided;
};

/// Faster, slower, same or undecided, for each pair of samples.
///
/// `faster` and `slower`: by the Mann-Whitney test, the ratio lies outside the band, on that side.
/// `same`: by the same test twice, it is inside. Both p-values are corrected for the number of
/// pairs by Holm's procedure. `undecided`: neither is shown; measure longer, or nothing else at the
/// same time. With a band of zero the first is the usual two-sided test and nothing is ever `same`.
///
/// The test is against the band, not against a ratio of exactly 1: two runs of one program differ
/// by a little always (where its pages lie, how the machine's clock drifts), and with enough
/// samples the usual test finds that.
///
/// Requires: no side of a pair empty, all times above zero and finite, band >= 0, 0 < error < 1.
/// Source: D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power
/// approach, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
[[nodiscard]] std::vector<judgement> judge(std::span<const sample_pair> pairs,
                                           const verdict_settings& settings = {});

/// Tells whether that many samples can show any difference when that many cases are compared: if
/// not, every verdict is `undecided`, whatever the times are.
[[nodiscard]] bool enough_samples(std::size_t before, std::size_t after, std::size_t cases,
                                  double error = verdict_settings{}.error);

/// The p-values of several tests, raised so that rejecting those at most α is wrong anywhere with a
/// probability of at most α, however the tests depend on each other. In the order given.
///
/// Cost: O(m log m). Source: S. Holm, A simple sequentially rejective multiple test procedure,
/// Scandinavian Journal of Statistics 6, 1979.
[[nodiscard]] std::vector<double> holm_corrected(std::span<const double> p);

}  // namespace pleat::bench
