// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace pleat::bench
