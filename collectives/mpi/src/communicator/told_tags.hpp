// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <vector>

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

}  // namespace pleat::preloaded
