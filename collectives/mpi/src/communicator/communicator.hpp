// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>

#include "communicator/agreement.hpp"
#include "communicator/process.hpp"
#include "running/progress.hpp"
#include "running/task.hpp"

namespace pleat::preloaded {

/// Communicator of the program as a collective call uses it: one object for all blocking calls,
/// which is an attribute of the program's, and one for each other call. Messages of two objects are
/// told apart by their tags.
///
/// Thread safety: as MPI requires of collective calls, one at a time.
class communicator {
 public:
  /// Makes what calls of ours need on a communicator that the program has just made, if any call on
  /// it may be ours. Collective over it; waits for all ranks, which have come. Does nothing for
  /// MPI_COMM_NULL and before begin(). Throws: mpi_failure, std::bad_alloc.
  static void made(MPI_Comm comm);

  /// Finds the one for blocking calls. Null where the MPI does the work: between groups
  /// (inter-communicators), for one rank, before begin(), if no call is ours, or if made() has not
  /// been called. Throws: mpi_failure.
  static communicator* of(MPI_Comm comm);
  /// Makes one for a non-blocking or persistent call, likewise.
  static std::unique_ptr<communicator> not_blocking(MPI_Comm comm);

  /// Data that the calls on a communicator share. Null before begin(). Throws: mpi_failure.
  static agreement* shared(MPI_Comm comm);
  /// Tells whether ranks of it may have calls of ours that are running: all know it alike.
  /// Throws: std::bad_alloc.
  static bool may_have_running_calls(MPI_Comm comm);
  /// Keeps the tags of calls on it from other communicators when it is freed: a call has failed,
  /// and messages to this rank may be left over. Later calls on it still use them.
  static void keep_tags(MPI_Comm comm) noexcept;
  /// Deletes the attribute.
  static int forget(MPI_Comm comm, int key, void* value, void* state);

  /// Tells whether the MPI takes messages of this type; not if the program has not committed it.
  /// Communicates with no rank; true before begin(). Throws: std::bad_alloc.
  static bool may_send(MPI_Datatype type);

  communicator(std::shared_ptr<agreement> with, std::shared_ptr<told_tags> tags)
      : with_(std::move(with)), tags_(std::move(tags)) {}
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;

  [[nodiscard]] std::uint32_t rank() const noexcept { return with_->rank(); }
  [[nodiscard]] std::uint32_t size() const noexcept { return graph().processors(); }
  [[nodiscard]] bool has(int rank) const noexcept {
    return rank >= 0 && static_cast<std::uint32_t>(rank) < size();
  }
  [[nodiscard]] bool is(int rank) const noexcept {
    return this->rank() == static_cast<std::uint32_t>(rank);
  }
  [[nodiscard]] const choice& chosen() const noexcept { return with_->chosen(); }
  [[nodiscard]] agreement& with() const noexcept { return *with_; }

  [[nodiscard]] const circulant_graph& graph() const noexcept { return with_->graph(); }
  [[nodiscard]] const circulant_table& table() { return with_->table(); }
  /// This rank's schedule of a broadcast from `root`. Cost: O(log p) if the root is another one
  /// than last time.
  [[nodiscard]] const circulant_schedule& schedule(std::uint32_t root);

  /// Tells whether a call may begin: all ranks have told their tags. Always true of blocking ones.
  [[nodiscard]] bool may_begin() const noexcept { return tags_->known(); }
  /// Makes sure that messages may be sent. Requires: may_begin(). Throws: mpi_failure.
  void prepare();
  /// The communicator of our own messages. Its errors are returned.
  [[nodiscard]] static MPI_Comm own() noexcept { return here().own; }
  /// Place of a rank in it, and the tag of messages to that rank. Requires: prepared.
  [[nodiscard]] int place_of(std::uint32_t rank) const noexcept { return with_->place_of(rank); }
  [[nodiscard]] int tag_of(std::uint32_t rank) const noexcept { return tags_->of(rank, tag_); }
  /// The tag of messages to this rank; known from the beginning.
  [[nodiscard]] int own_tag() const noexcept { return tags_->own(tag_); }
  void keep_tags() noexcept { tags_->keep(); }

  /// Tells whether calls wait inside the program's call.
  [[nodiscard]] bool blocks() const noexcept { return blocks_; }
  /// Tells whether waiting is plain: nothing else would make progress meanwhile. Otherwise a
  /// coroutine that waits is suspended.
  [[nodiscard]] bool waits_alone() const noexcept { return blocks_ && !others_run(); }
  template <class Wait> void suspend(std::coroutine_handle<> where, Wait& until) noexcept {
    suspended_.wait(where, until);
  }
  /// Returns the place where the call that runs is suspended.
  [[nodiscard]] suspension& suspended() noexcept { return suspended_; }
  /// Carries out work of a blocking call, while other calls make progress. Throws: what it throws.
  void complete(const task& work);

  /// Takes a number, and with it a tag, among non-blocking calls.
  void take_number() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> number() const noexcept { return number_; }
  /// Takes tags for a persistent call alone, because ranks may start such calls in any order, and
  /// returns them: they are to be told. Throws: mpi_failure.
  const std::shared_ptr<told_tags>& take_own_tags() {
    return tags_ = std::make_shared<told_tags>(rank(), size());
  }

 private:
  std::shared_ptr<agreement> with_;
  std::shared_ptr<told_tags> tags_;
  std::optional<std::uint32_t> scheduled_root_;
  circulant_schedule schedule_;
  suspension suspended_;
  std::optional<std::uint64_t> number_;
  int tag_ = 0;
  bool blocks_ = true;
  bool prepared_ = false;
};

}  // namespace pleat::preloaded
