// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/collective.hpp"
#include "measure/big_block.hpp"
#include "runtime/rivals/flags_barrier.hpp"

namespace pleat::bench {

/// Least number of bytes that a collective operation on m bytes and P ranks makes the memory copy
/// (one read, one written), all ranks together. A rank that has its result elsewhere than its input
/// copies its own block too.
///
/// | operation                | reads                 | writes      | as copies    |
/// | ---                      | ---                   | ---         | ---          |
/// | broadcast                | m, by P − 1           | (P − 1) m   | (P − 1) m    |
/// | scatter, gather          | m                     | m           | m            |
/// | all_gather(_v)           | m, by P               | P m         | P m          |
/// | all_to_all               | P m                   | P m         | P m          |
/// | reduce, reduce_scatter(_v) | P m                 | m           | (P + 1) m / 2 |
/// | all_reduce, scan         | P m                   | P m         | P m          |
[[nodiscard]] std::size_t copies_needed(const collective& one, std::size_t ranks);

/// Rival that only copies: pinned threads, one on each PU, copy those bytes by memcpy. Each copies
/// an equal share, out of memory that its neighbour has just written.
class copy_bound {
 public:
  explicit copy_bound(std::span<const unsigned> pus)
      : team_(pus), sources_(pus.size()), copies_(pus.size()), seconds_(pus.size()) {}

  /// Copies once and compares. Throws: pleat::error if they differ.
  void verify(const collective& one);
  /// Times as mpi_rival::time does: after one repetition that is not kept, the slowest thread.
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions);

 private:
  std::vector<double> copy(const collective& one, std::size_t repetitions);

  struct alignas(128) own_seconds {
    double value = 0;
  };

  flags_team team_;
  std::vector<big_block> sources_, copies_;
  std::vector<own_seconds> seconds_;
  std::size_t bytes_ = 0;
  std::uint8_t seed_ = 0;
};

}  // namespace pleat::bench
