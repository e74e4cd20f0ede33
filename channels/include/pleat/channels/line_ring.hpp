// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include <pleat/channels/cache_line.hpp>

namespace pleat {

/// A bounded first-in-first-out ring of small messages from one producer to one consumer, for when
/// latency is all that counts: a message of up to 48 bytes crosses as one cache line.
///
///     ring.push(tag, mark, {data, bytes});           while (!ring.ready()) wait();
///                                                    use(ring.front()); ring.pop();
///
/// A channel's consumer looks at an index, then at the element: two misses, one after the other.
/// Here the line says by itself that it has been written, by a number that grows with every
/// message. What does not fit into the line, up to `largest` bytes, follows it: the next lines are
/// on their way when the first is looked at.
///
///     line     payload 48 · tag 4 · bytes 4 · mark 2 · number 4 │ more payload     by the producer
///     taken    how many messages the consumer is done with                         by the consumer
///
/// Invariant: a line and what follows it are written again only after `taken` has passed it. So
/// `drained` says that whatever the messages pointed to has been read, too.
///
/// Memory ordering: push releases, ready acquires; pop releases, room and drained acquire.
/// Thread safety: one producer, one consumer. It can be neither copied nor moved.
class line_ring {
 public:
  static constexpr std::size_t in_line = 48;    ///< bytes of payload that travel in the line
  static constexpr std::size_t largest = 960;   ///< bytes of payload at most
  static constexpr std::uint32_t capacity = 8;  ///< messages

  struct message {
    const std::byte* data;  ///< aligned to a cache line; valid until pop
    std::uint32_t bytes;
    std::uint32_t tag;   ///< the user's
    std::uint16_t mark;  ///< the user's
  };

  /// Cost: 8 KiB.
  line_ring() = default;
  line_ring(const line_ring&) = delete;
  line_ring& operator=(const line_ring&) = delete;

  // ---------------------------------------------------------------- producer

  /// Whether a message can be pushed. Stays true until the next push.
  [[nodiscard]] bool room() const noexcept {
    if (pushed_ - seen_taken_ < capacity) return true;
    seen_taken_ = taken_.load(std::memory_order_acquire);  // pairs with the release in pop
    return pushed_ - seen_taken_ < capacity;
  }
  /// Whether the consumer is done with everything pushed. Stays true until the next push.
  [[nodiscard]] bool drained() const noexcept {
    if (seen_taken_ == pushed_) return true;
    seen_taken_ = taken_.load(std::memory_order_acquire);  // pairs with the release in pop
    return seen_taken_ == pushed_;
  }

  /// Pushes a message of `bytes` bytes, which `fill(std::byte* to)` writes.
  ///
  /// Requires: room(), bytes ≤ largest. Cost: a write of one line, of 1 + ⌈bytes/64⌉ beyond
  /// in_line.
  template <class Fill>
  void push(std::uint32_t tag, std::uint16_t mark, std::uint32_t bytes, const Fill& fill) {
    assert(room() && bytes <= largest);
    line& to = lines_[pushed_ % capacity];
    fill(bytes <= in_line ? to.payload : to.more);
    to.tag = tag;
    to.bytes = bytes;
    to.mark = mark;
    to.number.store(++pushed_, std::memory_order_release);  // pairs with the acquire in ready
  }

  // ---------------------------------------------------------------- consumer

  /// Whether there is a message. Stays true until pop.
  [[nodiscard]] bool ready() const noexcept {
    // acquire: pairs with the release in push
    return lines_[popped_ % capacity].number.load(std::memory_order_acquire) == popped_ + 1;
  }
  /// The oldest message. Requires: ready().
  [[nodiscard]] message front() const noexcept {
    const line& from = lines_[popped_ % capacity];
    return {from.bytes <= in_line ? from.payload : from.more, from.bytes, from.tag, from.mark};
  }
  /// Lets the oldest message go. Requires: ready().
  void pop() noexcept {
    taken_.store(++popped_, std::memory_order_release);  // pairs with the acquire in room, drained
  }

 private:
  struct alignas(cache_line) line {
    std::byte payload[in_line];
    std::uint32_t tag;
    std::uint32_t bytes;
    std::uint16_t mark;
    std::atomic<std::uint32_t> number{0};
    std::byte more[largest];
  };
  static_assert(sizeof(line) == cache_line + largest);

  // The consumer's.
  alignas(destructive_distance) std::atomic<std::uint32_t> taken_{0};
  std::uint32_t popped_ = 0;
  // The producer's.
  alignas(destructive_distance) std::uint32_t pushed_ = 0;
  mutable std::uint32_t seen_taken_ = 0;
  // Both sides'.
  alignas(destructive_distance) std::array<line, capacity> lines_;
};

}  // namespace pleat
