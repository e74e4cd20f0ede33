// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rank_sum.hpp"

namespace pleat::bench {

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
