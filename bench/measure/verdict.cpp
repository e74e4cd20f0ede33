// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "rank_sum.hpp"

namespace pleat::bench {
namespace {

std::vector<double> scaled(const std::vector<double>& samples, double factor) {
  std::vector<double> result(samples);
  for (double& one : result) one *= factor;
  return result;
}

// The tests of one pair against both ends of the band, not corrected.
struct band_tests {
  double slower;  // than the upper end
  double faster;  // than the lower end
  double p_different;
  double p_same;
};

band_tests test(const sample_pair& pair, double band) {
  const auto upper = compare_ranks(scaled(pair.before, 1 + band), pair.after);
  const auto lower = compare_ranks(scaled(pair.before, 1 / (1 + band)), pair.after);
  band_tests result{upper.p_larger, lower.p_smaller, 1, 1};
  result.p_different = std::min(1.0, 2 * std::min(result.slower, result.faster));
  result.p_same = std::max(upper.p_smaller, lower.p_larger);
  return result;
}

}  // namespace

std::string_view name_of(verdict what) {
  switch (what) {
    case verdict::faster:
      return "faster";
    case verdict::slower:
      return "slower";
    case verdict::same:
      return "same";
    case verdict::undecided:
      break;
  }
  return "undecided";
}

std::vector<judgement> judge(std::span<const sample_pair> pairs, const verdict_settings& settings) {
  std::vector<band_tests> tests;
  std::vector<double> different;
  std::vector<double> same;
  for (const auto& pair : pairs) {
    tests.push_back(test(pair, settings.band));
    different.push_back(tests.back().p_different);
    same.push_back(tests.back().p_same);
  }
  different = holm_corrected(different);
  same = holm_corrected(same);
  std::vector<judgement> judgements;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    judgement one{ratio_of_times(pairs[i].before, pairs[i].after, 1 - settings.error), different[i],
                  same[i]};
    if (one.p_different <= settings.error)
      one.what = tests[i].slower < tests[i].faster ? verdict::slower : verdict::faster;
    else if (one.p_same <= settings.error)
      one.what = verdict::same;
    judgements.push_back(one);
  }
  return judgements;
}

bool enough_samples(std::size_t before, std::size_t after, std::size_t cases, double error) {
  // The least p there is: all of one side above all of the other, one of C(m + n, m) ways.
  const auto m = static_cast<double>(before);
  const auto n = static_cast<double>(after);
  const double log_ways = std::lgamma(m + n + 1) - std::lgamma(m + 1) - std::lgamma(n + 1);
  return std::log(2 * static_cast<double>(cases)) - log_ways <= std::log(error);
}

std::vector<double> holm_corrected(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double least = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto left = static_cast<double>(p.size() - place);
    least = std::max(least, std::min(1.0, left * p[order[place]]));
    corrected[order[place]] = least;
  }
  return corrected;
}

}  // namespace pleat::bench
