// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mpi.h>
#include <mutex>
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

  /// Chooses and tells. Collective over `comm`, but waits for no rank. Throws: mpi_failure.
  told_tags(MPI_Comm comm, std::uint32_t ranks);
  told_tags(const told_tags&) = delete;
  told_tags& operator=(const told_tags&) = delete;
  /// Gives the tags to others of this rank. If a rank has not told its own yet, keeps them.
  ~told_tags();

  /// Tells whether all ranks have told theirs; once true, it stays so.
  [[nodiscard]] bool known() noexcept;
  /// Throws: mpi_failure, if a rank had no tags left. Requires: known.
  void require() const;
  /// The i-th tag of a rank. Requires: known; not for this rank, `own`.
  [[nodiscard]] int of(std::uint32_t rank, int i) const noexcept { return first_[rank] + i; }
  [[nodiscard]] int own(int i) const noexcept { return mine_ + i; }

  /// Keeps the tags from others for ever: a call has failed, and messages may be left over.
  void keep() noexcept { kept_ = true; }

 private:
  static constexpr int none = -1;

  int mine_ = none;
  std::vector<int> first_;  // of each rank, and this one's own again
  MPI_Request telling_ = MPI_REQUEST_NULL;
  int code_ = MPI_SUCCESS;
  std::atomic<bool> known_ = false;
  std::atomic<bool> kept_ = false;
  std::mutex guard_;
};

}  // namespace pleat::preloaded
