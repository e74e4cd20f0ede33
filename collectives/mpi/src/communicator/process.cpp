// SPDX-License-Identifier: Apache-2.0
#include "communicator/process.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <type_traits>

#include "communicator/communicator.hpp"
#include "errors/errors.hpp"
#include "settings/settings.hpp"
#include "settings/tally.hpp"

namespace pleat::preloaded {

namespace {

process& state() {
  static auto& one = *new process;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

int first_of_node(int rank) {
  MPI_Comm node = MPI_COMM_NULL;
  check(PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  check(PMPI_Bcast(&rank, 1, MPI_INT, 0, node));
  check(PMPI_Comm_free(&node));
  return rank;
}

// Environments of ranks may differ.
void take_settings_of_rank_0() {
  static_assert(std::is_trivially_copyable_v<fixed_settings> &&
                std::is_trivially_copyable_v<tuned>);
  settings& all = process_settings();
  std::uint64_t rows = all.table.size();
  const auto take = [](void* data, std::size_t bytes) {
    check(PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD));
  };
  take(static_cast<fixed_settings*>(&all), sizeof(fixed_settings));
  take(&rows, sizeof rows);
  all.table.resize(rows);
  take(all.table.data(), rows * sizeof(tuned));
}

/// Tells whether all ranks of a group are in this MPI_COMM_WORLD, and frees the group.
bool translated(MPI_Group group, std::vector<int>& places) {
  MPI_Group all = MPI_GROUP_NULL;
  int size = 0;
  check(PMPI_Group_size(group, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size));
  places.resize(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  check(PMPI_Comm_group(here().own, &all));
  check(PMPI_Group_translate_ranks(group, size, ranks.data(), all, places.data()));
  check(PMPI_Group_free(&all));
  check(PMPI_Group_free(&group));
  return std::ranges::find(places, MPI_UNDEFINED) == places.end();
}

}  // namespace

const process& here() noexcept { return state(); }

MPI_Comm made_like(MPI_Comm comm) {
  MPI_Comm like = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm, &group));
  check(PMPI_Comm_create(comm, group, &like));
  check(PMPI_Group_free(&group));
  check(PMPI_Comm_set_errhandler(like, MPI_ERRORS_RETURN));
  return like;
}

bool all_are_here(MPI_Comm comm, std::vector<int>* places) {
  MPI_Group group = MPI_GROUP_NULL;
  int between_groups = 0;
  std::vector<int> others;
  check(PMPI_Comm_test_inter(comm, &between_groups));
  if (between_groups != 0) {
    check(PMPI_Comm_remote_group(comm, &group));
    if (!translated(group, others)) return false;
  }
  check(PMPI_Comm_group(comm, &group));
  return translated(group, places != nullptr ? *places : others);
}

void begin() {
  process& made = state();
  try {
    int rank = 0, ranks = 0, threads = 0;
    check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks));
    check(PMPI_Query_thread(&threads));
    made.with_threads = threads == MPI_THREAD_MULTIPLE;
    if (rank == 0) {
      const settings& asked = process_settings();
      if (!asked.complaint.empty()) std::fprintf(stderr, "pleat: %s\n", asked.complaint.c_str());
      if (asked.report) report_at_exit();
    }
    take_settings_of_rank_0();
    const int node = first_of_node(rank);
    made.nodes.resize(static_cast<std::size_t>(ranks));
    check(PMPI_Allgather(&node, 1, MPI_INT, made.nodes.data(), 1, MPI_INT, MPI_COMM_WORLD));
    if (rank == 0 && process_settings().report && process_settings().only_measured(made.nodes))
      std::fputs(
          "pleat: on one node, auto carries out only calls that PLEAT_MPI_TABLE, written by `mpi "
          "tune`, says are faster\n",
          stderr);
    // A world of one rank has them too: processes that it starts may be in a communicator with it.
    made.own = made_like(MPI_COMM_WORLD);
    made.itself = made_like(MPI_COMM_SELF);
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator::forget, &made.key, nullptr));
    made.has_ours = process_settings().any_on(made.nodes);
    int refers = ranks > 1 && made.has_ours && refers_to_non_blocking_calls() ? 1 : 0;
    check(PMPI_Allreduce(MPI_IN_PLACE, &refers, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    made.has_non_blocking = refers != 0;
    communicator::made(MPI_COMM_WORLD);
  } catch (const mpi_failure&) {
    made.key = MPI_KEYVAL_INVALID;  // all calls are the MPI's
  }
}

}  // namespace pleat::preloaded
