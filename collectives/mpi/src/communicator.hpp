// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>

#include "choice.hpp"

namespace pleat::preloaded {

/// What this library keeps of a communicator of the program, as an attribute: it is made at the
/// first collective call, which all ranks perform, and freed with the communicator.
///
/// Thread safety: as MPI requires of collective calls, one at a time on a communicator;
/// communicators share nothing but the list of those alive.
class communicator {
 public:
  /// The one of `comm`. Null where the MPI does the work: between groups (inter-communicators), for
  /// one rank, before MPI_Init. Throws: mpi_failure.
  static communicator* of(MPI_Comm comm);
  /// Does the MPI take messages of this type? Not if the program has not committed it. Asks nobody;
  /// yes before MPI_Init.
  static bool may_send(MPI_Datatype type) noexcept;

  communicator(MPI_Comm comm, std::uint32_t ranks);
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator();

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return graph_.processors(); }
  [[nodiscard]] const choice& chosen() const noexcept { return choice_; }

  [[nodiscard]] const circulant_graph& graph() const noexcept { return graph_; }
  /// This rank's schedule of a broadcast from `root`. Cost: O(log p) if the root is another one
  /// than last time.
  [[nodiscard]] const circulant_schedule& schedule(std::uint32_t root);
  /// All ranks' schedules. Cost: O(p log p) the first time.
  [[nodiscard]] const circulant_table& table();

  /// The communicator of our own messages, with the ranks of the program's, which are all in the
  /// same call if they ask for the first time. Its errors are returned.
  [[nodiscard]] MPI_Comm own();

  /// At the beginning of MPI_Finalize.
  void release_own() noexcept;

 private:
  void agree();

  MPI_Comm comm_;
  MPI_Comm own_ = MPI_COMM_NULL;
  std::uint32_t rank_ = 0;
  circulant_graph graph_;
  std::optional<std::uint32_t> scheduled_root_;
  circulant_schedule schedule_;
  std::unique_ptr<circulant_table> table_;
  choice choice_;
};

}  // namespace pleat::preloaded
