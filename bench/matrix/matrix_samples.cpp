// SPDX-License-Identifier: Apache-2.0
#include "matrix_samples.hpp"

#include <algorithm>
#include <random>

#include "measure/statistics.hpp"

namespace pleat::bench {
namespace {

struct sampled_pair {
  std::size_t plan, row, column;
  std::vector<double> samples;
};

std::vector<sampled_pair> pairs_of(std::span<const matrix_plan> plans) {
  std::vector<sampled_pair> result;
  for (std::size_t plan = 0; plan < plans.size(); ++plan)
    for (const auto& [row, column] : plans[plan].pairs) result.push_back({plan, row, column, {}});
  return result;
}

std::optional<matrix_cell> cell_of(const std::vector<double>& samples) {
  if (samples.empty()) return std::nullopt;
  return matrix_cell{quantile(samples, 0.5), median_interval(samples), samples.size()};
}

}  // namespace

matrix_samples take_samples(std::span<const matrix_plan> plans, const matrix_effort& effort) {
  auto pairs = pairs_of(plans);
  std::mt19937_64 random(effort.seed);
  matrix_samples result;
  const std::size_t planned = effort.rounds * pairs.size();
  std::size_t done = 0;
  for (unsigned round = 0; round < effort.rounds && result.complete; ++round) {
    std::ranges::shuffle(pairs, random);
    for (auto& pair : pairs) {
      if (effort.over && effort.over()) {
        result.complete = false;
        break;
      }
      const auto& plan = plans[pair.plan];
      const bool other_way = plan.shape.symmetric && round % 2 == 1;
      pair.samples.push_back(other_way ? plan.sample(pair.column, pair.row)
                                       : plan.sample(pair.row, pair.column));
      if (effort.progress) effort.progress(++done, planned);
    }
  }
  for (const auto& plan : plans) {
    result.matrices.push_back(plan.shape);
    result.matrices.back().cells.resize(plan.shape.rows.size() * plan.shape.columns.size());
  }
  for (const auto& pair : pairs) {
    auto& matrix = result.matrices[pair.plan];
    const auto cell = cell_of(pair.samples);
    matrix.cells[pair.row * matrix.columns.size() + pair.column] = cell;
    if (matrix.symmetric) matrix.cells[pair.column * matrix.columns.size() + pair.row] = cell;
  }
  return result;
}

}  // namespace pleat::bench
