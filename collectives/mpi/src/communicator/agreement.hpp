// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <span>
#include <vector>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>

#include "settings/choice.hpp"

namespace pleat::preloaded {

/// Tags with which others send to the ranks of a communicator: each rank has chosen its own, which
/// no other object of this class on this rank has, and tells the others.
///
/// Thread safety: any number of threads.
class told_tags {
 public:
  /// Number of tags that each rank has.
  static constexpr int each = 9;

  /// Chooses; the others are not told yet. Throws: mpi_failure.
  told_tags(std::uint32_t rank, std::uint32_t ranks);
  told_tags(const told_tags&) = delete;
  told_tags& operator=(const told_tags&) = delete;
  /// Gives the tags to others of this rank.
  ~told_tags();

  /// Tells the ranks of `comm`, which are as many, and waits for them. Throws: mpi_failure.
  void tell(MPI_Comm comm);
  /// Entries of the ranks, in which this one's is filled. Who fills the others calls set_known().
  [[nodiscard]] std::span<int> entries() noexcept { return first_; }
  void set_known() noexcept { known_.store(true, std::memory_order_release); }
  /// Tells whether all ranks have told theirs; once true, it stays so. Pairs with set_known().
  [[nodiscard]] bool known() const noexcept { return known_.load(std::memory_order_acquire); }
  /// Throws: mpi_failure, if a rank had no tags left or could not tell them. Requires: known.
  void require() const;
  /// The i-th tag of a rank. Requires: known; not for this rank, `own`.
  [[nodiscard]] int of(std::uint32_t rank, int i) const noexcept { return first_[rank] + i; }
  [[nodiscard]] int own(int i) const noexcept { return mine_ + i; }

  /// Keeps the tags from others for ever: a call has failed, and messages may be left over.
  void keep() noexcept { kept_ = true; }

 private:
  static constexpr int none = -1;

  int mine_ = none;
  std::vector<int> first_;  // of each rank
  std::atomic<bool> known_ = false;
  std::atomic<bool> kept_ = false;
};

/// Data of this library for a communicator of the program that all of its calls share. Making it
/// communicates with no rank.
///
/// Thread safety: any number of threads; turns are guarded by the lock of running calls.
class agreement {
 public:
  /// Throws: mpi_failure.
  explicit agreement(MPI_Comm comm);
  agreement(const agreement&) = delete;
  agreement& operator=(const agreement&) = delete;

  /// The program's communicator; MPI_COMM_NULL when it has been freed.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  void forget_comm() noexcept { comm_ = MPI_COMM_NULL; }

  /// Tells whether all ranks are in this MPI_COMM_WORLD, so that they have the same settings.
  [[nodiscard]] bool all_here() const noexcept { return all_here_; }
  [[nodiscard]] const choice& chosen() const noexcept { return choice_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  /// Place of a rank in the communicator of our own messages.
  [[nodiscard]] int place_of(std::uint32_t rank) const noexcept { return places_[rank]; }

  [[nodiscard]] const circulant_graph& graph() const noexcept { return graph_; }
  /// All ranks' schedules. Cost: O(p log p) the first time.
  [[nodiscard]] const circulant_table& table();

  /// Radix of an exchange of blocks of so many bytes: the cheapest for the power of two below.
  [[nodiscard]] std::size_t radix(std::size_t bytes);
  /// Radix of an irregular exchange, in which a rank has to do with some others and some bytes at
  /// most.
  [[nodiscard]] std::size_t radix(std::size_t partners, std::size_t bytes);

  /// Non-blocking calls have numbers in the order in which they begin, the same on all ranks. The
  /// messages of a call have the tag number mod `at_once`, so it waits for the one that many
  /// before.
  static constexpr std::uint64_t at_once = told_tags::each - 1;
  [[nodiscard]] std::uint64_t next_number() noexcept { return begun_++; }
  [[nodiscard]] bool has_turn(std::uint64_t number) const noexcept {
    return ended_[number % at_once] == number / at_once;
  }
  void end_turn(std::uint64_t number) noexcept { ++ended_[number % at_once]; }

  /// Number of calls on the communicator that are running.
  std::atomic<int> running = 0;

 private:
  MPI_Comm comm_;
  bool all_here_ = false;
  std::uint32_t rank_ = 0;
  std::vector<int> places_;
  circulant_graph graph_;
  choice choice_;
  std::once_flag has_table_;
  std::unique_ptr<circulant_table> table_;
  std::array<std::atomic<std::size_t>, 65> radices_{};  // by the width of a number of bytes
  std::uint64_t begun_ = 0;
  std::array<std::uint64_t, at_once> ended_{};
};

}  // namespace pleat::preloaded
