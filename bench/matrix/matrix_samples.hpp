// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "measured_matrix.hpp"

namespace pleat::bench {

/// A matrix to be measured.
struct matrix_plan {
  measured_matrix shape;  ///< without cells
  /// Row and column of what is measured; of a symmetric matrix one of each two.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  /// One sample. Of a symmetric matrix, row and column change places from round to round.
  std::function<double(std::size_t row, std::size_t column)> sample;
};

/// Effort of a measurement.
struct matrix_effort {
  unsigned rounds = 15;
  std::uint64_t seed = 1;           ///< of the order
  std::function<bool()> over = {};  ///< whether no sample may begin any more
  std::function<void(std::size_t done, std::size_t planned)> progress = {};  ///< in samples
};

struct matrix_samples {
  std::vector<measured_matrix> matrices;
  bool complete = true;  ///< all rounds were taken
};

/// Measures the matrices: a round takes one sample of every pair of each of them, in random order,
/// so that a drift of the machine falls on all alike.
///
/// Guarantees: every pair has a sample, or all pairs that have none were left out because the time
/// was over. Throws: what sample throws.
[[nodiscard]] matrix_samples take_samples(std::span<const matrix_plan> plans,
                                          const matrix_effort& effort);

}  // namespace pleat::bench
