// SPDX-License-Identifier: Apache-2.0
#include "machine/linear_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace pleat::detail {

linear_cost fit_line(std::span<const double> h, std::span<const double> t) {
  // Normal equations of l/t + g·h/t = 1.
  double aa = 0, ab = 0, bb = 0, a = 0, b = 0;
  for (std::size_t k = 0; k < h.size(); ++k) {
    const double x = 1 / t[k], y = h[k] / t[k];
    aa += x * x;
    ab += x * y;
    bb += y * y;
    a += x;
    b += y;
  }
  const double determinant = aa * bb - ab * ab;
  linear_cost line{(aa * b - ab * a) / determinant, (bb * a - ab * b) / determinant};
  if (line.l < 0) line = {b / bb, 0};
  if (line.g < 0) line = {0, a / aa};
  return line;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::size_t count_outliers(std::span<const double> values) {
  constexpr double deviation_of_a_normal = 1.4826;
  const double middle = median_of({values.begin(), values.end()});
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  const double limit = middle + 5 * deviation_of_a_normal * median_of(std::move(distances));
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > limit; }));
}

namespace {

/// Factor by which a bootstrap interval from few independent blocks must be wider, for normal
/// values. It is Student's quantile (after Cornish and Fisher) over the normal quantile, corrected
/// for the variance that drawing with replacement loses.
double small_sample_factor(std::size_t blocks) {
  constexpr double z = 1.96;
  const auto n = static_cast<double>(blocks);
  if (n < 2) return 1;
  const double freedom = n - 1;
  const double t = z + (std::pow(z, 3) + z) / (4 * freedom) +
                   (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * freedom * freedom);
  return t / z * std::sqrt(n / freedom);
}

/// Factor by which an interval must be wider because disturbances continue from one block to the
/// next: n blocks count as n·(1 − ρ)/(1 + ρ), where ρ is the correlation of neighbours. ρ is
/// computed from ranks, so that one bad block does not dominate it, and corrected for the bias of
/// few blocks.
double drift_factor(std::span<const double> of_blocks) {
  const auto n = static_cast<double>(of_blocks.size());
  const double middle = (n - 1) / 2;
  std::vector<double> rank;
  for (const double value : of_blocks) {
    const auto below = std::ranges::count_if(of_blocks, [&](double x) { return x < value; });
    const auto equal = std::ranges::count(of_blocks, value);
    rank.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2 - middle);
  }
  double neighbours = 0, all = 0;
  for (std::size_t k = 0; k < rank.size(); ++k) {
    all += rank[k] * rank[k];
    if (k != 0) neighbours += rank[k] * rank[k - 1];
  }
  if (all == 0) return 1;
  const double found = neighbours / all;
  const double correlation = std::clamp(found + (1 + 3 * found) / n, 0.0, 0.8);
  return std::sqrt((1 + correlation) / (1 - correlation));
}

estimate interval(double value, std::vector<double> drawn, double factor) {
  std::sort(drawn.begin(), drawn.end());
  const auto at = [&](double q) {
    return drawn[static_cast<std::size_t>(q * static_cast<double>(drawn.size() - 1) + 0.5)];
  };
  return {value, std::max(0.0, value - factor * std::max(0.0, value - at(0.025))),
          value + factor * std::max(0.0, at(0.975) - value)};
}

}  // namespace

void estimate_line(std::span<const double> h, const std::vector<std::vector<double>>& samples,
                   std::size_t block, std::uint64_t seed, unsigned resamples, estimate& g,
                   estimate& l) {
  const std::size_t rounds = samples.front().size();
  std::vector<double> medians;
  for (const auto& all : samples) medians.push_back(median_of(all));
  const linear_cost line = fit_line(h, medians);

  std::mt19937_64 random(seed);
  std::vector<double> gs, ls, some(rounds);
  std::vector<std::size_t> drawn(rounds);
  for (unsigned k = 0; k < resamples; ++k) {
    for (std::size_t i = 0; i < rounds; ++i)
      drawn[i] = i % block == 0 ? random() % (rounds / block) * block : drawn[i - 1] + 1;
    for (std::size_t size = 0; size < samples.size(); ++size) {
      std::transform(drawn.begin(), drawn.end(), some.begin(),
                     [&](std::size_t round) { return samples[size][round]; });
      medians[size] = median_of(some);
    }
    const linear_cost again = fit_line(h, medians);
    gs.push_back(again.g);
    ls.push_back(again.l);
  }
  std::vector<double> block_gs, block_ls;
  for (std::size_t first = 0; first < rounds; first += block) {
    for (std::size_t size = 0; size < samples.size(); ++size) {
      const auto from = samples[size].begin() + static_cast<std::ptrdiff_t>(first);
      medians[size] = median_of({from, from + static_cast<std::ptrdiff_t>(block)});
    }
    const linear_cost alone = fit_line(h, medians);
    block_gs.push_back(alone.g);
    block_ls.push_back(alone.l);
  }
  const double factor = small_sample_factor(rounds / block);
  g = interval(line.g, std::move(gs), factor * drift_factor(block_gs));
  l = interval(line.l, std::move(ls), factor * drift_factor(block_ls));
}

}  // namespace pleat::detail
