// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/sort.hpp>

#include "evidence/distributed/rivals/mpi_rivals.hpp"
#include "work_of_ranks.hpp"

namespace pleat::bench {
namespace {

using keys_of_rank = std::span<const std::uint64_t>;

/// Tells whether the keys are sorted, across ranks, and those that were there; the same on all
/// ranks.
bool is_sorted_result(keys_of_rank result, keys_of_rank before) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::uint64_t sums[2][2] = {};  // of what was there, of what is: order does not matter
  for (int side = 0; side < 2; ++side) {
    for (const std::uint64_t x : side == 0 ? before : result) {
      sums[side][0] += x;
      sums[side][1] += mixed(x);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  std::uint64_t ends[3] = {result.empty() ? 0u : 1u, result.empty() ? 0 : result.front(),
                           result.empty() ? 0 : result.back()};
  std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(ranks));
  MPI_Allgather(ends, 3, MPI_UINT64_T, all.data(), 3, MPI_UINT64_T, MPI_COMM_WORLD);
  bool good = sums[0][0] == sums[1][0] && sums[0][1] == sums[1][1];
  std::uint64_t greatest = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    if (all[3 * r] == 0) continue;
    good = good && greatest <= all[3 * r + 1];
    greatest = all[3 * r + 2];
  }
  return everywhere(good && std::ranges::is_sorted(result));
}

}  // namespace

void compare_distributed_sort(pleat::machine& machine, std::size_t n, std::size_t repetitions) {
  pleat::distributed<std::uint64_t> ours(machine, n);
  const auto fill = [&] { ours.fill(machine, mixed); };
  fill();
  const std::vector<std::uint64_t> keys(ours.local().begin(), ours.local().end());
  const int threads = static_cast<int>(machine.vps_here(machine.threads()).size());
  mpi_sample_sort rival(MPI_COMM_WORLD, threads);
  keys_of_rank rival_result;
  compare_sides(machine,
                {.work = "distributed-sort",
                 .n = n,
                 .type = "u64",
                 .rival = "sample sort, " PLEAT_MPI_NAME " and ips4o",
                 .rival_version = PLEAT_MPI_VERSION ", " PLEAT_IPS4O_VERSION},
                {.prepare_ours = fill,
                 .ours = [&] { pleat::sort(machine, ours); },
                 .prepare_rival = {},
                 .rival = [&] { rival_result = rival(keys); },
                 .check =
                     [&] {
                       if (!is_sorted_result(rival_result, keys)) return "the rival sorts wrongly";
                       return is_sorted_result(ours.local(), keys) ? "" : "pleat sorts wrongly";
                     }},
                repetitions);
}

}  // namespace pleat::bench
