// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <mpi.h>
#include <span>
#include <vector>

namespace pleat::bench {

/// ScaLAPACK's product C = A·B of n × n matrices of double, in blocks that are dealt out cyclically
/// to a near-square grid of the ranks, with OpenBLAS on each of them.
class scalapack_product {
 public:
  using element = std::function<double(std::size_t row, std::size_t column)>;

  /// Requires: n below 2^31. `threads`: of OpenBLAS on each rank.
  scalapack_product(MPI_Comm comm, std::size_t n, int threads);
  scalapack_product(const scalapack_product&) = delete;
  scalapack_product& operator=(const scalapack_product&) = delete;
  ~scalapack_product();

  void load(const element& a, const element& b);
  void multiply();
  /// Part of C·x that this rank's elements of C contribute to each row.
  [[nodiscard]] std::vector<double> part_of_product_with(std::span<const double> x) const;

 private:
  /// The row or column, of the whole matrix, of a local one.
  [[nodiscard]] static std::size_t global(int local, int place, int places);
  void fill(std::vector<double>& local, const element& value) const;

  int n_;
  int grid_ = 0;
  int down_ = 1, across_ = 1, row_ = 0, column_ = 0;
  int rows_ = 0, columns_ = 0;  // of the local parts
  int description_[9] = {};
  std::vector<double> a_, b_, c_;  // column behind column
};

}  // namespace pleat::bench
