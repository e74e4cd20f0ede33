// SPDX-License-Identifier: Apache-2.0
#include "tree_gap.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pleat::bench {
namespace {

double lowest_gap(double least, double most) {
  const auto log = [](double sigma) { return std::log2(std::max(2.0, sigma)); };
  return log(most) / (log(least) + std::log2(std::max(2.0, log(most))));
}

// H of the tree asked for and of the best one, for one σ.
struct compared {
  double sigma;
  double own = 0, best = std::numeric_limits<double>::infinity();
  std::size_t degree = 0;
};

// Powers of two up to that at which the root sends to all; and the degree asked for.
std::vector<std::size_t> degrees_of(std::size_t n, std::size_t asked) {
  std::vector<std::size_t> degrees;
  for (std::size_t kappa = 2; kappa < 2 * n; kappa *= 2) degrees.push_back(kappa);
  if (std::ranges::find(degrees, asked) == degrees.end()) degrees.push_back(asked);
  return degrees;
}

}  // namespace

std::size_t gap_runs(std::size_t n) { return degrees_of(n, 2).size(); }

tree_gap gap_of(const evaluated_program& program, evaluation_request request, double least_sigma,
                double most_sigma, const std::function<void(std::size_t)>& done) {
  const std::size_t asked = request.kappa;
  const auto all = static_cast<unsigned>(std::bit_width(request.n)) - 1;
  compared ends[]{{least_sigma}, {most_sigma}};
  std::size_t counted = 0;
  for (const std::size_t kappa : degrees_of(request.n, asked)) {
    request.kappa = kappa;
    const cost_trace tree = program.run(request);
    for (compared& one : ends) {
      const double complexity = tree.H(all, one.sigma);
      if (kappa == asked) one.own = complexity;
      if (complexity >= one.best) continue;
      one.best = complexity;
      one.degree = kappa;
    }
    done(++counted);
  }
  const auto ratio = [](const compared& one) { return one.own / one.best; };
  const compared& worst = ratio(ends[1]) >= ratio(ends[0]) ? ends[1] : ends[0];
  return {least_sigma, most_sigma,   ratio(worst),
          worst.sigma, worst.degree, lowest_gap(least_sigma, most_sigma)};
}

}  // namespace pleat::bench
