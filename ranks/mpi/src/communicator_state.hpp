// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <optional>
#include <utility>
#include <vector>

#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine_options.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

#include "check.hpp"
#include "host/binding.hpp"
#include "machine/environment.hpp"
#include "traffic.hpp"

namespace pleat::mpi {

/// The processes of a communicator that share this one's node.
class node {
 public:
  /// Collective over `all`. All functions throw environment_error, if MPI fails.
  explicit node(MPI_Comm all) {
    check(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_));
    rank_ = rank_in(comm_);
    size_ = size_of(comm_);
  }
  ~node() { MPI_Comm_free(&comm_); }
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  [[nodiscard]] MPI_Comm processes() const noexcept { return comm_; }
  /// A communicator of all processes in which those of a node are neighbours, nodes in the order of
  /// their first processes. To be freed. Collective over `all`.
  [[nodiscard]] MPI_Comm side_by_side(MPI_Comm all) const {
    const std::size_t rank = rank_in(all);
    int first = static_cast<int>(rank);  // of this node
    check(MPI_Bcast(&first, 1, MPI_INT, 0, comm_));
    std::vector<int> first_of(size_of(all));  // [rank]: of its node
    check(MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, all));
    int position = 0;
    for (std::size_t other = 0; other < first_of.size(); ++other)
      position += std::pair(first_of[other], other) < std::pair(first, rank) ? 1 : 0;
    MPI_Comm ordered = MPI_COMM_NULL;
    check(MPI_Comm_split(all, 0, position, &ordered));
    return ordered;
  }
  /// Tells whether some PU is one that several of the processes may use. Collective over the node.
  [[nodiscard]] bool overlaps(const topology& machine) const {
    unsigned pus = 0;
    for (const processing_unit& unit : machine.units()) pus = std::max(pus, unit.pu + 1);
    check(MPI_Allreduce(MPI_IN_PLACE, &pus, 1, MPI_UNSIGNED, MPI_MAX, comm_));
    std::vector<int> users(pus);
    for (const processing_unit& unit : machine.units()) users[unit.pu] = unit.allowed ? 1 : 0;
    check(
        MPI_Allreduce(MPI_IN_PLACE, users.data(), static_cast<int>(pus), MPI_INT, MPI_SUM, comm_));
    return std::any_of(users.begin(), users.end(), [](int count) { return count > 1; });
  }
  /// Completes `options`, in which the topology is, with this process's share of the node's cores.
  void divide_cores(machine_options& options, bool shared) const {
    if (!shared || options.place || std::getenv("PLEAT_PLACE") != nullptr) return;
    const placement cores = place(*options.topology);
    const std::size_t count = cores.processors.size();
    interval<std::size_t> mine = interval<std::size_t>{0, count}.share(rank_, size_);
    if (count < size_) {  // some cores have several processes
      const std::size_t core = rank_ * count / size_;
      mine = {core, core + 1};
      if (!options.wait && std::getenv("PLEAT_WAIT") == nullptr) options.wait = wait_policy::park;
    }
    if (!options.workers && !detail::environment::pin() && !detail::affinity::can_change()) {
      // The kernel places the workers of this share.
      if (!options.processors && !options.trace)
        options.processors =
            detail::environment::processors().value_or(static_cast<unsigned>(mine.size()));
      return;
    }
    placement_request share{.how = placement_request::policy::list};
    for (std::size_t i = mine.first; i < mine.last; ++i)
      share.list.push_back(cores.processors[i].pu);
    options.place = std::move(share);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::size_t rank_ = 0, size_ = 1;
};

/// State that machines over one communicator, one after the other, have in common: making it takes
/// a dozen collective operations. It is kept as an attribute of the communicator and ends with it,
/// or when MPI_Finalize begins.
class communicator_state {
 public:
  communicator_state();
  communicator_state(const communicator_state&) = delete;
  communicator_state& operator=(const communicator_state&) = delete;
  ~communicator_state();

  /// Finds that of a communicator, a new one if it has none. Throws: environment_error.
  static std::shared_ptr<communicator_state> of(MPI_Comm processes);

  /// Number of the link that the last machine has left or is leaving, if that was made for the same
  /// snapshot of the host and `reads`; else -1.
  [[nodiscard]] int left_for(const topology& host, bool reads) const noexcept {
    const bool same = idle_ && reads == reads_ && host.units().data() == host_->units().data();
    return same ? idle_->number() : -1;
  }
  /// Makes all of it anew. Collective over `processes`. Throws: environment_error, std::bad_alloc.
  void renew(MPI_Comm processes, const topology& host, bool reads) {
    drop();
    here_.reset();
    here_.emplace(processes);
    idle_ = std::make_unique<traffic>(here_->side_by_side(processes), here_->processes(), reads,
                                      made_++);
    leaving_ = false;
    overlaps_ = here_->overlaps(host);
    host_ = host;
    reads_ = reads;
  }

  [[nodiscard]] const node& here() const noexcept { return *here_; }
  /// Tells whether several processes may use the same PU of the host.
  [[nodiscard]] bool overlaps() const noexcept { return overlaps_; }
  [[nodiscard]] std::unique_ptr<traffic> take() noexcept { return std::move(idle_); }
  /// Takes it back from a machine that leaves it.
  void give_back(std::unique_ptr<traffic> what) noexcept {
    if (ended_) return traffic::put_off(std::move(what));
    drop();
    idle_ = std::move(what);
    leaving_ = true;
  }
  /// Waits until what is left is ready for the next machine. Requires: all ranks have left it, and
  /// call this. Throws: std::bad_alloc.
  void settle() {
    if (!leaving_) return;
    while (!idle_->settled()) {
    }
    idle_->begin_again();
    leaving_ = false;
  }

 private:
  static int end_one(MPI_Comm, int, void* value, void*);
  static int end_all(MPI_Comm, int, void*, void*);
  /// Frees what needs MPI. Machines that still live leave nothing.
  void end() noexcept {
    ended_ = true;
    drop();
    here_.reset();
  }
  void drop() noexcept {
    if (idle_ && leaving_) return traffic::put_off(std::move(idle_));
    idle_.reset();
  }

  std::optional<node> here_;
  std::optional<topology> host_;
  std::unique_ptr<traffic> idle_;
  bool leaving_ = false;  // others may not have left it
  int made_ = 0;          // so many times; on all ranks alike
  bool overlaps_ = false, reads_ = false, ended_ = false;
};

}  // namespace pleat::mpi
