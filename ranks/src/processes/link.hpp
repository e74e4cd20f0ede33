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
#include <pleat/runtime/detail/rings.hpp>

namespace pleat::detail {

/// Transport of packets, messages of bytes, between the processes of a machine. It is the runtime's
/// only interface to MPI.
///
/// Implementations guarantee: every message arrives once and whole, and messages from one process
/// to another arrive in the order of posting. If the link cannot guarantee this, for example
/// because a process has died, it ends all processes and does not return.
///
/// One machine at a time uses a link. Machines that use it one after the other continue to count
/// its runs, so that messages of one machine are not taken for those of another.
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

  /// Holds the link for a machine until destruction. Throws: usage_error if another machine has it.
  class hold {
   public:
    explicit hold(link& of);
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold() { of_.held_ = false; }

   private:
    link& of_;
  };
  /// Returns the number of the next run, from 1 on. All processes must call it equally often.
  [[nodiscard]] std::uint64_t next_run() noexcept { return ++runs_; }
  /// Number of runs so far.
  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }

  /// Cost of a message over the link, once a machine has measured it; the same on all processes.
  [[nodiscard]] const std::optional<process_message_cost>& cost() const noexcept { return cost_; }
  void set_cost(const process_message_cost& measured) noexcept { cost_ = measured; }

  /// Fixes the radices of barriers, instead of the cheapest ones, for tests: the barrier of epoch i
  /// takes number i of them, modulo their count; 0 is a dense barrier, as the first of a run is.
  /// The same on all processes.
  void fix_radices(std::vector<std::size_t> of_epochs) { radices_ = std::move(of_epochs); }
  [[nodiscard]] const std::vector<std::size_t>& radices() const noexcept { return radices_; }

  /// Notice that a process has left its link: it makes no further machine.
  struct parting {
    std::size_t process;
    bool unwinding;  // because of an exception
  };
  void add_parting(const parting& of) { partings_.push_back(of); }
  [[nodiscard]] const std::vector<parting>& partings() const noexcept { return partings_; }
  /// Prepares the calling thread to use the link for a run.
  /// Throws: usage_error if the thread may not use it.
  virtual void enter() {}
  /// Tells whether messages can be posted. False if the transport has ended before the machine.
  [[nodiscard]] virtual bool is_open() const noexcept { return true; }
  /// Memory that is sent with a message without being copied into it. It arrives in memory of its
  /// own, with the given alignment, a power of two.
  struct enclosure {
    byte_buffer memory;  ///< freed when it is on its way; or, if this is empty,
    lent_block
        lent;  ///< memory of another owner, read until it has come, or take_back_loans() is called
    std::size_t alignment;
    [[nodiscard]] std::size_t bytes() const noexcept {
      return memory.empty() ? lent.count() * lent.element_size : memory.size();
    }
  };
  /// Sends the parts, one after the other, as one message to another process, with the enclosures
  /// `beside`. It takes over the memory that it has to keep; memory that it leaves in the parts is
  /// free for the caller to use. Does not wait for other processes. Requires: to != self(); not all
  /// parts are empty, and no enclosure is. Throws: std::bad_alloc; nothing was then sent or taken.
  virtual void post(std::size_t to, std::span<byte_buffer* const> parts,
                    std::span<enclosure> beside) = 0;
  void post(std::size_t to, byte_buffer& packet) {
    byte_buffer* const all = &packet;
    post(to, {&all, 1}, {});
  }

  /// Ends all reading of lent memory: messages whose memory was not read completely do not arrive.
  /// Does not wait for other processes.
  virtual void take_back_loans() noexcept = 0;

  struct arrival {
    std::size_t from;
    byte_buffer bytes;  // aligned to a cache line
    std::vector<byte_buffer> beside;
  };
  /// Returns a received message, if there is one. Does not wait. Throws: std::bad_alloc.
  [[nodiscard]] virtual std::optional<arrival> poll() = 0;
  /// Takes back an arrival that is no longer needed, whose memory may be reused for another
  /// message.
  virtual void recycle(arrival&& from) noexcept { static_cast<void>(arrival(std::move(from))); }

 protected:
  /// Makes the link as a new one, except that it knows its cost. Requires: no message is under way.
  void begin_again() noexcept {
    runs_ = 0;
    partings_.clear();
    radices_.clear();
  }

 private:
  std::size_t self_, size_;
  std::uint64_t runs_ = 0;
  std::vector<parting> partings_;
  std::optional<process_message_cost> cost_;
  std::vector<std::size_t> radices_;
  bool held_ = false;
};

}  // namespace pleat::detail
