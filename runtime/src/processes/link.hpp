// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/slot.hpp>
#include <pleat/runtime/detail/outbox.hpp>

namespace pleat::detail {

/// Transport of packets, messages of bytes, from one process of a machine to another. The runtime
/// knows no more of MPI than this.
///
/// Implementations guarantee: every message arrives, once, whole, and those from one process to
/// another in the order they were posted. If it cannot do that, because a process has died, say, it
/// ends all of them; it does not return.
///
/// One machine has a link at a time; machines that have it one after the other go on counting its
/// runs, so that no message of one is taken for the other's.
///
/// Thread safety: one thread at a time, the one that calls machine::run.
class PLEAT_API link {
 public:
  link(std::size_t process, std::size_t size) noexcept : self_(process), size_(size) {}
  link(const link&) = delete;
  link& operator=(const link&) = delete;
  virtual ~link() = default;

  /// Number of this process, 0 … size − 1. Processes on one node have neighbouring numbers.
  [[nodiscard]] std::size_t self() const noexcept { return self_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Holds the link for a machine as long as this lives. Throws: usage_error, if another has it.
  class hold {
   public:
    explicit hold(link& of);
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold() { of_.held_ = false; }

   private:
    link& of_;
  };
  /// Counts the next run of its machines, from 1 on. All processes call it alike.
  [[nodiscard]] std::uint64_t next_run() noexcept { return ++runs_; }
  /// Number of runs so far.
  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }

  /// Notice that the link of a process has ended: it makes no machine any more.
  struct parting {
    std::size_t process;
    bool unwinding;  // because of an exception
  };
  void add_parting(const parting& of) { partings_.push_back(of); }
  [[nodiscard]] const std::vector<parting>& partings() const noexcept { return partings_; }

  /// Prepares the calling thread to use the link for a run.
  /// Throws: usage_error, if it may not.
  virtual void enter() {}
  /// Tells whether messages can be posted: not if the transport has ended before the machine.
  [[nodiscard]] virtual bool is_open() const noexcept { return true; }
  /// Memory that travels with a message without being copied into it. It arrives in memory of its
  /// own, with that alignment, a power of two.
  struct enclosure {
    byte_buffer memory;  ///< freed when it is on its way; or, if this is empty,
    lent_block
        lent;  ///< memory of another owner, read until it has come, or take_back_loans() is called
    std::size_t alignment;
    [[nodiscard]] std::size_t bytes() const noexcept {
      return memory.empty() ? lent.count() * lent.element_size : memory.size();
    }
  };
  /// Sends the parts, one behind the other, as one message to another process, and the enclosures
  /// beside them. It takes the memory that it has to keep; what it leaves in the parts is the
  /// caller's, to be used for something else. Waits for no process. Requires: to != self(); not all
  /// parts are empty, and nothing beside them is. Throws: std::bad_alloc; nothing was sent or taken
  /// then.
  virtual void post(std::size_t to, std::span<byte_buffer* const> parts,
                    std::span<enclosure> beside) = 0;
  void post(std::size_t to, byte_buffer& packet) {
    byte_buffer* const all = &packet;
    post(to, {&all, 1}, {});
  }

  /// Ends all reading of lent memory: a message of which not all has been read does not arrive.
  /// Waits for no process.
  virtual void take_back_loans() noexcept = 0;

  struct arrival {
    std::size_t from;
    byte_buffer bytes;  // aligned to a cache line
    std::vector<byte_buffer> beside;
  };
  /// Returns a message that has come, if there is one. Does not wait. Throws: std::bad_alloc.
  [[nodiscard]] virtual std::optional<arrival> poll() = 0;
  /// Takes back an arrival that is not needed any more: its memory may be that of another message.
  virtual void recycle(arrival&& from) noexcept { static_cast<void>(arrival(std::move(from))); }

 private:
  std::size_t self_, size_;
  std::uint64_t runs_ = 0;
  std::vector<parting> partings_;
  bool held_ = false;
};

}  // namespace pleat::detail
