// SPDX-License-Identifier: Apache-2.0
#include "mpi_rivals.hpp"

// IPS⁴o forgets one of its includes.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <ips4o.hpp>

namespace pleat::bench {

mpi_sample_sort::mpi_sample_sort(MPI_Comm comm, int threads) : comm_(comm), threads_(threads) {
  MPI_Comm_size(comm, &ranks_);
}

std::span<const std::uint64_t> mpi_sample_sort::operator()(std::span<const std::uint64_t> keys) {
  if (keys.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::invalid_argument("MPI_Alltoallv counts in int: take fewer keys a rank");
  choose_splitters(keys);
  partition(keys);
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<int> coming(ranks), from(ranks), to(ranks);
  MPI_Alltoall(counts_.data(), 1, MPI_INT, coming.data(), 1, MPI_INT, comm_);
  std::exclusive_scan(counts_.begin(), counts_.end(), from.begin(), 0);
  std::exclusive_scan(coming.begin(), coming.end(), to.begin(), 0);
  const auto all = static_cast<std::size_t>(to.back() + coming.back());
  if (received_.size() < all) received_.resize(all + all / 16);
  MPI_Alltoallv(parted_.data(), counts_.data(), from.data(), MPI_UINT64_T, received_.data(),
                coming.data(), to.data(), MPI_UINT64_T, comm_);
  auto* const first = received_.data();
  if (threads_ > 1)
    ips4o::parallel::sort(first, first + all, std::less<>(), threads_);
  else
    ips4o::sort(first, first + all, std::less<>());
  return {first, all};
}

void mpi_sample_sort::choose_splitters(std::span<const std::uint64_t> keys) {
  constexpr std::size_t each = 1024;
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<std::uint64_t> mine(each), all(each * ranks);
  for (std::size_t i = 0; i < each; ++i) mine[i] = keys.empty() ? 0 : keys[i * keys.size() / each];
  MPI_Allgather(mine.data(), each, MPI_UINT64_T, all.data(), each, MPI_UINT64_T, comm_);
  std::ranges::sort(all);
  splitters_.clear();
  for (std::size_t r = 1; r < ranks; ++r) splitters_.push_back(all[r * each]);
}

/// Counts the keys for each rank, then groups them by rank. No branch depends on a key.
void mpi_sample_sort::partition(std::span<const std::uint64_t> keys) {
  const auto rank_of = [this](std::uint64_t key) {
    std::size_t rank = 0;
    for (const std::uint64_t splitter : splitters_)
      rank += static_cast<std::size_t>(key >= splitter);
    return rank;
  };
  const auto ranks = static_cast<std::size_t>(ranks_);
  std::vector<std::size_t> counts(ranks, 0), next(ranks);
  for (const std::uint64_t key : keys) ++counts[rank_of(key)];
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::size_t{0});
  parted_.resize(keys.size());
  for (const std::uint64_t key : keys) parted_[next[rank_of(key)]++] = key;
  counts_.assign(counts.begin(), counts.end());
}

}  // namespace pleat::bench
