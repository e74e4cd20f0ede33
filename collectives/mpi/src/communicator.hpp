// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>
#include <vector>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>

#include "choice.hpp"

namespace pleat::preloaded {

/// Makes the communicator of all our messages, with the ranks of MPI_COMM_WORLD, and what else
/// lasts as long as the process: nothing of it is freed, because MPI_Finalize calls functions of
/// the program that may still communicate. Collective over MPI_COMM_WORLD. Called right after
/// MPI_Init: without it all calls are the MPI's.
void begin() noexcept;

/// Data of this library for a communicator of the program, kept as an attribute: made at the first
/// collective call, which all ranks perform, and freed with the communicator.
///
/// Thread safety: as MPI requires of collective calls, one at a time on a communicator;
/// communicators share nothing but the tags in use.
class communicator {
 public:
  /// Finds or makes the one of `comm`. Null where the MPI does the work: between groups
  /// (inter-communicators), for one rank, before begin(). Throws: mpi_failure.
  static communicator* of(MPI_Comm comm);
  /// Tells whether the MPI takes messages of this type; not if the program has not committed it.
  /// Communicates with no rank; true before begin().
  static bool may_send(MPI_Datatype type) noexcept;

  communicator(MPI_Comm comm, std::uint32_t ranks);
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator();

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return graph_.processors(); }
  [[nodiscard]] bool has(int rank) const noexcept {
    return rank >= 0 && static_cast<std::uint32_t>(rank) < size();
  }
  [[nodiscard]] bool is(int rank) const noexcept {
    return rank_ == static_cast<std::uint32_t>(rank);
  }
  [[nodiscard]] const choice& chosen() const noexcept { return choice_; }

  [[nodiscard]] const circulant_graph& graph() const noexcept { return graph_; }
  /// This rank's schedule of a broadcast from `root`. Cost: O(log p) if the root is another one
  /// than last time.
  [[nodiscard]] const circulant_schedule& schedule(std::uint32_t root);
  /// All ranks' schedules. Cost: O(p log p) the first time.
  [[nodiscard]] const circulant_table& table();

  /// Radix of an exchange of blocks of so many bytes: the cheapest for the power of two below.
  [[nodiscard]] std::size_t radix(std::size_t bytes);
  /// Radix of an irregular exchange, in which a rank has to do with some others and some bytes at
  /// most.
  [[nodiscard]] std::size_t radix(std::size_t partners, std::size_t bytes);
  /// The largest of each of the numbers that the ranks have. Collective.
  [[nodiscard]] std::array<std::size_t, 2> largest(std::array<std::size_t, 2> mine) const;

  /// The communicator of our own messages. Its errors are returned.
  [[nodiscard]] static MPI_Comm own() noexcept;
  /// Place of a rank in it, and the tag of messages to that rank, which the rank itself has chosen:
  /// no other of its communicators has it. Requires: a call that is ours.
  [[nodiscard]] int place_of(std::uint32_t rank) const noexcept { return members_[rank].place; }
  [[nodiscard]] int tag_of(std::uint32_t rank) const noexcept { return members_[rank].tag; }
  /// Keeps the tag from other communicators when this one is freed: a call has failed, and messages
  /// to this rank may be left over. Later calls on this communicator still use the tag.
  void keep_tag() noexcept { tag_ = none; }

 private:
  static constexpr int none = -1;
  /// Words that each rank tells the others.
  struct member {
    int place, tag, node;
  };

  void agree();
  [[nodiscard]] bool all_are_here() const;
  void give_tag_back() noexcept;

  MPI_Comm comm_;
  std::uint32_t rank_ = 0;
  int tag_ = none;
  std::vector<member> members_;
  circulant_graph graph_;
  std::optional<std::uint32_t> scheduled_root_;
  circulant_schedule schedule_;
  std::unique_ptr<circulant_table> table_;
  choice choice_;
  std::array<std::size_t, 65> radices_{};  // by the width of a number of bytes; 0 if not yet known
};

}  // namespace pleat::preloaded
