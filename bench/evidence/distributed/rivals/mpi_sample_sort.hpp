// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

namespace pleat::bench {

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
