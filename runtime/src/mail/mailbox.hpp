// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/detail/outbox.hpp>

namespace pleat::detail {

/// Holds the messages that virtual processors which have ended leave for another worker, until that
/// worker collects them.
///
/// Memory ordering: `empty` is relaxed, because a worker that puts an element in arrives at a
/// barrier afterwards, and the collector passes that barrier before it needs the element. The mutex
/// orders the elements. Thread safety: any thread; `clear` while no worker runs.
template <class T> class alignas(destructive_distance) leftovers {
 public:
  /// Throws: std::bad_alloc.
  void put(T one) {
    const std::scoped_lock lock(mutex_);
    content_.push_back(std::move(one));
    empty_.store(false, std::memory_order_relaxed);
  }
  [[nodiscard]] bool empty() const noexcept { return empty_.load(std::memory_order_relaxed); }
  /// Removes the elements for which `take(T&)` returns true.
  template <class Take> void collect(Take&& take) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(content_, take);
    empty_.store(content_.empty(), std::memory_order_relaxed);
  }
  void clear() noexcept {
    content_.clear();
    empty_.store(true, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> empty_{true};
  std::mutex mutex_;
  std::vector<T> content_;
};

/// Mailbox for the messages of one worker to another at one barrier. Short contents are in the
/// mailbox's own cache line, longer ones in a buffer. While the mailbox is full, its records own
/// the memory to which they refer.
///
/// Memory ordering: that of the barrier. The sender fills the mailbox before it arrives; the
/// receiver empties it before it arrives at the next barrier; the sender refills it after that
/// barrier. So all accesses of `epoch` are relaxed.
struct alignas(destructive_distance) mailbox {
  static constexpr std::size_t small = 40;

  std::atomic<std::uint64_t> epoch{0};  // epoch of the barrier; 0: taken
  std::size_t bytes = 0;
  const std::byte* large = nullptr;  // null: `inlined` has the bytes
  alignas(8) std::byte inlined[small];
  byte_buffer buffer;  // owned by the sender; `large` points into it

  [[nodiscard]] const std::byte* data() const noexcept {
    return large != nullptr ? large : inlined;
  }
  /// Hands over the contents of `buffer`. Called by the sender.
  void fill(std::uint64_t at_epoch) noexcept {
    bytes = buffer.size();
    large = bytes <= small ? nullptr : buffer.begin();
    if (large == nullptr) std::memcpy(inlined, buffer.begin(), bytes);
    epoch.store(at_epoch, std::memory_order_relaxed);
  }
  /// Tells whether the mailbox was filled for this barrier. Called by the receiver.
  [[nodiscard]] bool is_full(std::uint64_t at_epoch) const noexcept {
    return epoch.load(std::memory_order_relaxed) == at_epoch;
  }
  /// Records that the bytes were copied. Called by the receiver.
  void taken() noexcept { epoch.store(0, std::memory_order_relaxed); }
  /// Empties the mailbox. Called by the sender. Usually the receiver has taken the messages before,
  /// but not if all of its VPs had ended.
  void discard() noexcept {
    if (epoch.load(std::memory_order_relaxed) == 0) return;
    discard_payloads(data(), data() + bytes);
    taken();
  }
};
static_assert(offsetof(mailbox, buffer) == cache_line, "what the receiver reads is one line");

/// Messages to another worker from VPs that have all ended, so that none of them comes to the
/// barrier that would deliver the messages. The receiver collects them at the first barrier of a
/// shared cluster without these VPs: one whose epoch is later than the cluster's last_arrival.
struct last_arrival {
  std::uint32_t label, first;  // of the cluster: its label and its first VP
  std::uint64_t epoch;         // number of arrivals in this run
};
struct leftover {
  outbox messages;
  std::vector<last_arrival> last_arrivals;
};

}  // namespace pleat::detail
