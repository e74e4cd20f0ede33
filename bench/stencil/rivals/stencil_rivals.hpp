// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "measure/big_block.hpp"

namespace pleat::bench {

/// The heat equation as most people parallelise it: a sweep of all cells for every step, rows dealt
/// out in equal ranges to the threads that touched them first, compiled for this very processor.
template <class T, std::size_t D> class openmp_heat {
 public:
  /// n rows (planes, cells) of `side` cells in every other dimension.
  openmp_heat(std::size_t n, std::size_t side, unsigned threads);

  /// `cells` into my own memory: not part of what is measured.
  void load(const T* cells);
  void advance(std::size_t steps);
  /// Stores the computed cells.
  void store(T* cells) const;

 private:
  std::ptrdiff_t n_, side_, row_;
  int threads_;
  big_block first_, second_;
  T* now_;
  T* next_;
};

}  // namespace pleat::bench
