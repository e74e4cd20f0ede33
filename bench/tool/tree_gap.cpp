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

}  // namespace

std::optional<tree_gap> gap_of(const evaluated_program& program, evaluation_request request,
                               const std::vector<double>& sigmas) {
  if (!program.takes_kappa || sigmas.size() < 2) return std::nullopt;
  const std::size_t asked = request.kappa;
  std::vector<std::size_t> degrees;
  for (std::size_t kappa = 2; kappa < 2 * request.n; kappa *= 2) degrees.push_back(kappa);
  if (std::ranges::find(degrees, asked) == degrees.end()) degrees.push_back(asked);
  std::vector<cost_trace> trees;
  for (const std::size_t kappa : degrees) {
    request.kappa = kappa;
    trees.push_back(program.run(request));
  }
  const auto all = static_cast<unsigned>(std::bit_width(request.n)) - 1;
  const auto [least, most] = std::ranges::minmax(sigmas);
  tree_gap found{least, most, 0, least, lowest_gap(least, most), asked};
  const auto compare = [&](double sigma) {
    double own = 0, best = std::numeric_limits<double>::infinity();
    std::size_t best_degree = 0;
    for (std::size_t i = 0; i < degrees.size(); ++i) {
      const double complexity = trees[i].H(all, sigma);
      if (degrees[i] == asked) own = complexity;
      if (complexity < best) best = complexity, best_degree = degrees[i];
    }
    if (own / best > found.gap) {
      found.gap = own / best;
      found.sigma = sigma;
      found.best = best_degree;
    }
  };
  compare(least);
  for (double sigma = std::exp2(std::ceil(std::log2(std::max(1.0, least)))); sigma < most;
       sigma *= 2)
    compare(sigma);
  compare(most);
  return found;
}

}  // namespace pleat::bench
