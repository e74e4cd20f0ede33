// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mpi.h>
#include <span>
#include <vector>

namespace pleat::bench {

/// Stencil of an MPI program without Pleat: a slab of rows with a halo of one row on either side.
/// Each step MPI_Sendrecv's a row with either neighbour and then updates the slab, on `threads`
/// threads of OpenMP. The outermost rows and cells of the grid stay as they are.
template <std::size_t D> class mpi_halo_exchange {
 public:
  /// Rows [first, first + rows) of a grid of `all` rows, of `row` cells each. Requires: rows >= 1.
  mpi_halo_exchange(MPI_Comm comm, std::size_t first, std::size_t rows, std::size_t all,
                    std::size_t row, int threads);

  void load(std::span<const double> slab);
  void advance(std::size_t steps);
  /// The slab, as it is now.
  [[nodiscard]] std::span<const double> slab() const;

 private:
  void exchange();

  MPI_Comm comm_;
  int threads_, before_ = MPI_PROC_NULL, after_ = MPI_PROC_NULL;
  std::ptrdiff_t rows_, row_;
  std::ptrdiff_t begin_, end_;  // of the rows that are updated, in the window
  std::vector<double> now_, next_;
};

/// Sample sort of an MPI program without Pleat. Each rank's keys are partitioned by splitters that
/// are taken from a sample of all, MPI_Alltoallv carries the parts, and IPS⁴o sorts what has come,
/// on `threads` threads. The ranks' results are as long as the splitters make them.
///
/// Its memory is kept from call to call. Source: Frazer, McKellar, Samplesort, 1970; Axtmann et
/// al., In-Place Parallel Super Scalar Samplesort, 2017.
class mpi_sample_sort {
 public:
  mpi_sample_sort(MPI_Comm comm, int threads);

  /// The keys of this rank, as they are before; returns those it has afterwards, sorted, until the
  /// next call.
  [[nodiscard]] std::span<const std::uint64_t> operator()(std::span<const std::uint64_t> keys);

 private:
  void choose_splitters(std::span<const std::uint64_t> keys);
  void partition(std::span<const std::uint64_t> keys);

  MPI_Comm comm_;
  int threads_;
  int ranks_ = 1;
  std::vector<std::uint64_t> splitters_, parted_, received_;
  std::vector<int> counts_;
};

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
