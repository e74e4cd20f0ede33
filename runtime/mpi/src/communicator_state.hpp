// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mpi.h>
#include <optional>

#include <pleat/runtime/topology.hpp>

#include "node.hpp"
#include "traffic.hpp"

namespace pleat::mpi {

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

  /// Number of what the last machine has left or is leaving, if that was made for the same snapshot
  /// of the host and `reads`; else -1.
  [[nodiscard]] int left_for(const topology& host, bool reads) const noexcept;
  /// Makes all of it anew. Collective over `processes`. Throws: environment_error, std::bad_alloc.
  void renew(MPI_Comm processes, const topology& host, bool reads);

  [[nodiscard]] const node& here() const noexcept { return *here_; }
  /// Tells whether several processes may use the same PU of the host.
  [[nodiscard]] bool overlaps() const noexcept { return overlaps_; }
  [[nodiscard]] std::unique_ptr<traffic> take() noexcept { return std::move(idle_); }
  /// Takes it back from a machine that leaves it.
  void give_back(std::unique_ptr<traffic> what) noexcept;
  /// Waits until what is left is ready for the next machine. Requires: all ranks have left it, and
  /// call this. Throws: std::bad_alloc.
  void settle();

 private:
  static int end_one(MPI_Comm, int, void* value, void*);
  static int end_all(MPI_Comm, int, void*, void*);
  /// Frees what needs MPI. Machines that still live leave nothing.
  void end() noexcept;
  void drop() noexcept;

  std::optional<node> here_;
  std::optional<topology> host_;
  std::unique_ptr<traffic> idle_;
  bool leaving_ = false;  // others may not have left it
  int made_ = 0;          // so many times; on all ranks alike
  bool overlaps_ = false, reads_ = false, ended_ = false;
};

}  // namespace pleat::mpi
