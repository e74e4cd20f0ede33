// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mpi.h>
#include <optional>

#include "node.hpp"
#include "traffic.hpp"

namespace pleat::mpi {

/// What machines over one communicator, one after the other, have in common: making it takes a
/// dozen collective operations. It is kept as an attribute of the communicator and ends with it, or
/// when MPI_Finalize begins.
class succession {
 public:
  /// That of a communicator, a new one if it has none. Throws: environment_error.
  static std::shared_ptr<succession> of(MPI_Comm processes);

  /// What the last machine has left, and whether that was made for `reads`. None: -1.
  [[nodiscard]] int left_for(bool reads) const noexcept;
  /// Makes all of it anew. Collective over `processes`. Throws: environment_error, std::bad_alloc.
  void renew(MPI_Comm processes, const topology& host, bool reads);

  [[nodiscard]] const node& here() const noexcept { return *here_; }
  /// Several processes may use the same PU of the host.
  [[nodiscard]] bool overlaps() const noexcept { return overlaps_; }
  [[nodiscard]] std::unique_ptr<traffic> take() noexcept { return std::move(idle_); }
  /// A machine has left it, settled.
  void give_back(std::unique_ptr<traffic> what) noexcept;

 private:
  static int end(MPI_Comm, int, void* value, void*);

  std::optional<node> here_;
  std::unique_ptr<traffic> idle_;
  int made_ = 0;  // so many times; on all ranks alike
  bool overlaps_ = false, reads_ = false, ended_ = false;
};

}  // namespace pleat::mpi
