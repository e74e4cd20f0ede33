// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <pleat/channels/cache_line.hpp>

namespace pleat::mpi {

/// Ring of slots in memory that two processes share: one fills the slots in turn, the other empties
/// them. A slot has a number which says that it has been filled, as in a line_ring, so that a short
/// message takes one transfer of a cache line or two. There are no addresses in it.
class shared_ring {
 public:
  /// Number of slots of the largest ring, and bytes of a slot. Slots are not a multiple of a page
  /// apart, so that their first lines lie in different sets of a cache.
  static constexpr std::uint32_t most_slots = 16;
  static constexpr std::size_t slot_bytes = 65 * cache_line - 2 * sizeof(std::uint32_t);

  /// Bytes of a ring of so many slots, a power of two.
  [[nodiscard]] static constexpr std::size_t extent(std::uint32_t slots) noexcept {
    return offsetof(shared_ring, slots_) + slots * sizeof(slot);
  }

 private:
  struct alignas(cache_line) slot {
    std::atomic<std::uint32_t> number{0};
    std::uint32_t bytes = 0;
    std::array<std::byte, slot_bytes> content;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);  // so it may be shared

  alignas(destructive_distance) std::atomic<std::uint32_t> taken_{0};
  alignas(destructive_distance) std::array<slot, most_slots> slots_;  // fewer, in a smaller ring

  friend class ring_sender;
  friend class ring_receiver;
};

/// Sender's end of a shared_ring. One slot stays free for an empty message, which says that the
/// next ones go another way. Thread safety: one thread at a time.
class ring_sender {
 public:
  ring_sender(shared_ring* ring, std::uint32_t slots) noexcept : ring_(ring), slots_(slots) {}

  /// Bytes of the longest message that may be sent.
  [[nodiscard]] std::size_t longest() const noexcept {
    return slots_ / 2 * shared_ring::slot_bytes;
  }
  /// Tells whether a message of so many bytes can be sent.
  [[nodiscard]] bool has_room_for(std::size_t bytes) noexcept {
    const std::size_t needed = (bytes + shared_ring::slot_bytes - 1) / shared_ring::slot_bytes;
    if (needed < slots_ - (pushed_ - seen_taken_)) return true;
    look();
    return needed < slots_ - (pushed_ - seen_taken_);
  }
  /// Tells whether the receiver has taken all messages.
  [[nodiscard]] bool drained() noexcept {
    look();
    return seen_taken_ == pushed_;
  }

  /// Sends a message whose parts compose(put) hands to put(data, bytes). Requires: has_room_for it.
  template <class Compose> void send(const Compose& compose) noexcept {
    std::size_t filled = 0;
    compose([&](const void* data, std::size_t bytes) {
      const auto* from = static_cast<const std::byte*>(data);
      while (bytes != 0) {
        const std::size_t some = std::min(bytes, shared_ring::slot_bytes - filled);
        std::memcpy(next().content.data() + filled, from, some);
        from += some;
        bytes -= some;
        filled += some;
        if (filled == shared_ring::slot_bytes) push(std::exchange(filled, 0));
      }
    });
    if (filled != 0) push(filled);
  }
  /// Sends the empty message. Requires: there has been room since the last one.
  void send_empty() noexcept { push(0); }

 private:
  void look() noexcept {
    seen_taken_ = ring_->taken_.load(std::memory_order_acquire);  // pairs with pop's release
  }
  [[nodiscard]] shared_ring::slot& next() const noexcept {
    return ring_->slots_[pushed_ & (slots_ - 1)];
  }
  void push(std::size_t filled) noexcept {
    shared_ring::slot& full = next();
    full.bytes = static_cast<std::uint32_t>(filled);
    full.number.store(++pushed_, std::memory_order_release);  // pairs with the acquire in ready
  }

  shared_ring* ring_;
  std::uint32_t slots_;
  std::uint32_t pushed_ = 0;
  std::uint32_t seen_taken_ = 0;
};

/// Receiver's end of a shared_ring. Thread safety: one thread at a time.
class ring_receiver {
 public:
  ring_receiver(shared_ring* ring, std::uint32_t slots) noexcept : ring_(ring), slots_(slots) {}

  /// Tells whether a slot has been filled.
  [[nodiscard]] bool ready() const noexcept {
    return next().number.load(std::memory_order_acquire) == taken_ + 1;  // pairs with push
  }
  /// Content of the slot, until pop(). A message begins in a slot of its own and fills all slots
  /// but its last. Requires: ready().
  [[nodiscard]] std::span<const std::byte> content() const noexcept {
    return std::span(next().content).first(next().bytes);
  }
  void pop() noexcept {
    ring_->taken_.store(++taken_, std::memory_order_release);  // pairs with look
  }

 private:
  [[nodiscard]] const shared_ring::slot& next() const noexcept {
    return ring_->slots_[taken_ & (slots_ - 1)];
  }

  shared_ring* ring_;
  std::uint32_t slots_;
  std::uint32_t taken_ = 0;
};

}  // namespace pleat::mpi
