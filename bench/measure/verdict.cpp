// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace pleat::bench {
namespace {

std::vector<double> scaled(const std::vector<double>& samples, double factor) {
  std::vector<double> result(samples);
  for (double& one : result) one *= factor;
  return result;
}

// P-values of one pair's tests against both ends of the band, before Holm's correction.
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
  constexpr std::array<std::string_view, 4> names{"faster", "slower", "same", "undecided"};
  return names[static_cast<std::size_t>(what)];
}

std::vector<judgement> judge(std::span<const sample_pair> pairs, const verdict_settings& settings) {
  std::vector<band_tests> tests;
  std::vector<double> different, same;
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
  // Smallest p-value: all samples of one side exceed all of the other, 1 of C(m + n, m) ways.
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

namespace {

// The ranks of all samples, doubled so that the mean rank of ties is a whole number.
struct doubled_ranks {
  std::vector<std::uint64_t> of_after;
  std::vector<std::uint64_t> all;
  double ties = 0;  // sum of t^3 - t over the groups of t equal samples
};

doubled_ranks ranks_of(std::span<const double> before, std::span<const double> after) {
  std::vector<std::pair<double, bool>> sorted;
  sorted.reserve(before.size() + after.size());
  for (const double x : before) sorted.emplace_back(x, false);
  for (const double x : after) sorted.emplace_back(x, true);
  std::ranges::sort(sorted);
  doubled_ranks ranks;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1].first == sorted[first].first) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      ranks.all.push_back(first + last + 2);
      if (sorted[i].second) ranks.of_after.push_back(first + last + 2);
    }
    const auto t = static_cast<double>(last - first + 1);
    ranks.ties += t * t * t - t;
    first = last + 1;
  }
  return ranks;
}

// Counts the choices of `chosen` ranks with each sum, by the shift algorithm. The counts are whole
// numbers of at most C(50, 25) < 2^47, so doubles are exact.
std::vector<double> ways_by_sum(const std::vector<std::uint64_t>& ranks, std::size_t chosen) {
  const auto most = std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0});
  const std::size_t sums = most + 1;
  std::vector<double> ways((chosen + 1) * sums);
  ways[0] = 1;
  std::size_t seen = 0;
  for (const std::uint64_t rank : ranks) {
    ++seen;
    for (std::size_t k = std::min(seen, chosen); k > 0; --k) {
      for (std::size_t sum = sums; sum-- > rank;)
        ways[k * sums + sum] += ways[(k - 1) * sums + sum - rank];
    }
  }
  return {ways.begin() + static_cast<std::ptrdiff_t>(chosen * sums), ways.end()};
}

double normal_above(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

// Standard deviation of u if both sides come from the same distribution.
double deviation(double before, double after, double ties) {
  const double all = before + after;
  return std::sqrt(before * after / 12 * (all + 1 - ties / (all * (all - 1))));
}

void set_exact(rank_sum& result, const doubled_ranks& ranks) {
  const auto ways = ways_by_sum(ranks.all, ranks.of_after.size());
  const auto seen = std::accumulate(ranks.of_after.begin(), ranks.of_after.end(), std::uint64_t{0});
  const auto middle = ways.begin() + static_cast<std::ptrdiff_t>(seen);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  result.p_smaller = std::accumulate(ways.begin(), middle + 1, 0.0) / all;
  result.p_larger = std::accumulate(middle, ways.end(), 0.0) / all;
}

void set_normal(rank_sum& result, double before, double after, double ties) {
  const double spread = deviation(before, after, ties);
  if (spread == 0) return;  // all samples are equal
  const double above_mean = result.u - before * after / 2;
  result.p_larger = normal_above((above_mean - 0.5) / spread);
  result.p_smaller = normal_above((-above_mean - 0.5) / spread);
}

}  // namespace

rank_sum compare_ranks(std::span<const double> before, std::span<const double> after) {
  rank_sum result;
  if (before.empty() || after.empty()) return result;
  const auto ranks = ranks_of(before, after);
  const auto m = static_cast<double>(before.size());
  const auto n = static_cast<double>(after.size());
  const double sum = std::accumulate(ranks.of_after.begin(), ranks.of_after.end(), 0.0) / 2;
  result.u = sum - n * (n + 1) / 2;
  if (ranks.all.size() <= most_samples_for_exact_ranks)
    set_exact(result, ranks);
  else
    set_normal(result, m, n, ranks.ties);
  return result;
}

std::size_t rank_of_shift(std::size_t before, std::size_t after, double confidence) {
  if (before == 0 || after == 0) return 0;
  const double allowed = (1 - confidence) / 2;
  if (before + after > most_samples_for_exact_ranks) {
    // The largest rank r with P(u < r) <= allowed.
    const auto m = static_cast<double>(before);
    const auto n = static_cast<double>(after);
    double low = 0;
    double high = 40;  // standard deviations from the mean
    while (high - low > 1e-9) {
      const double z = (low + high) / 2;
      (normal_above(z) > allowed ? low : high) = z;
    }
    const double rank = std::floor(m * n / 2 + 0.5 - high * deviation(m, n, 0));
    return rank < 1 ? 0 : static_cast<std::size_t>(rank);
  }
  std::vector<std::uint64_t> ranks(before + after);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = 2 * (i + 1);
  const auto ways = ways_by_sum(ranks, after);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  double below = 0;
  std::size_t rank = 0;
  for (std::size_t sum = after * (after + 1); sum < ways.size(); sum += 2) {  // u = 0, 1, …
    below += ways[sum];
    if (below / all > allowed) break;
    ++rank;
  }
  return rank;
}

namespace {

// Order statistics of the m * n ratios after / before, which are too many to be stored.
class ordered_ratios {
 public:
  ordered_ratios(std::span<const double> before, std::span<const double> after)
      : before_(before.begin(), before.end()), after_(after.begin(), after.end()) {
    std::ranges::sort(before_);
    std::ranges::sort(after_);
  }

  [[nodiscard]] std::size_t size() const { return before_.size() * after_.size(); }

  // Ratio of that rank, counted from 1: the smallest double that at least `rank` ratios do not
  // exceed. Positive doubles have the order of their bit patterns.
  [[nodiscard]] double at(std::size_t rank) const {
    auto low = std::bit_cast<std::uint64_t>(after_.front() / before_.back());
    auto high = std::bit_cast<std::uint64_t>(after_.back() / before_.front());
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (not_above(std::bit_cast<double>(middle)) >= rank)
        high = middle;
      else
        low = middle + 1;
    }
    return std::bit_cast<double>(low);
  }

 private:
  [[nodiscard]] std::size_t not_above(double bound) const {
    std::size_t count = 0;
    std::size_t fitting = 0;  // elements of after_ within the bound; grows with the divisor
    for (const double divisor : before_) {
      while (fitting < after_.size() && after_[fitting] / divisor <= bound) ++fitting;
      count += fitting;
    }
    return count;
  }

  std::vector<double> before_;
  std::vector<double> after_;
};

}  // namespace

time_ratio ratio_of_times(std::span<const double> before, std::span<const double> after,
                          double confidence) {
  assert(!before.empty() && !after.empty());
  const ordered_ratios ratios(before, after);
  const std::size_t pairs = ratios.size();
  time_ratio result;
  result.value = (ratios.at((pairs + 1) / 2) + ratios.at(pairs / 2 + 1)) / 2;
  const std::size_t rank = rank_of_shift(before.size(), after.size(), confidence);
  if (rank > 0) result.range = interval{ratios.at(rank), ratios.at(pairs + 1 - rank)};
  return result;
}

}  // namespace pleat::bench
