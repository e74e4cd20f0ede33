// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <pleat/channels/cache_line.hpp>

namespace pleat {

/// Bounded first-in-first-out ring of small messages from one producer to one consumer, made for
/// low latency: a message of up to 48 bytes crosses as one cache line.
///
///     ring.push(tag, mark, bytes, fill);             while (!ring.ready()) wait();
///                                                    use(ring.front()); ring.pop();
///
/// A channel's consumer reads an index, then the element: two misses, one after the other. Here the
/// line itself shows that it has been written, by a number that grows with every message. A payload
/// of more than 48 bytes, up to `largest`, lies in the lines after it, which prefetchers fetch
/// while the consumer reads the first.
///
///     line     payload 48 · tag 4 · bytes 4 · mark 2 · number 4 │ long payload     by the producer
///     taken    number of messages the consumer has finished with                   by the consumer
///
/// Invariant: a line and the payload after it are written again only after `taken` has passed it.
/// So if `drained()` is true, the memory that the messages pointed to has been read, too.
///
/// Memory ordering: push releases, ready acquires; pop releases, room and drained acquire.
/// Thread safety: one producer, one consumer. It can be neither copied nor moved.
class line_ring {
 public:
  static constexpr std::size_t in_line = 48;  ///< bytes of payload that travel in the line
  static constexpr std::size_t largest =
      960;  ///< bytes of payload at most, unless less is asked for
  static constexpr std::uint32_t capacity = 8;  ///< messages, unless it is made for more

  struct message {
    const std::byte* data;  ///< aligned to a cache line; valid until pop
    std::uint32_t bytes;
    std::uint32_t tag;   ///< the user's
    std::uint16_t mark;  ///< the user's
  };

  /// Makes a ring of `messages` messages of up to `most` bytes. Requires: most ≤ largest; messages
  /// is a power of two.
  ///
  /// Cost: with `capacity` messages allocates 8 KiB for `largest`, 512 bytes for `in_line`. Throws:
  /// std::bad_alloc.
  explicit line_ring(std::size_t most = largest, std::uint32_t messages = capacity)
      : stride_(stride_for(most)), lines_(allocate(stride_, messages)) {
    assert(most <= largest && std::has_single_bit(messages));
    producer_.lines = consumer_.lines = lines_.get();
    producer_.stride = consumer_.stride = stride_;
    producer_.mask = consumer_.mask = messages - 1;
  }
  line_ring(const line_ring&) = delete;
  line_ring& operator=(const line_ring&) = delete;

  /// Size of the largest message that the ring can carry.
  [[nodiscard]] std::size_t most() const noexcept {
    return stride_ == sizeof(line) ? in_line : stride_ - sizeof(line);
  }

  /// Number of messages that it can hold.
  [[nodiscard]] std::uint32_t holds() const noexcept { return producer_.mask + 1; }

  // ---------------------------------------------------------------- producer

  /// Tells whether a message can be pushed. Stays true until the next push.
  [[nodiscard]] bool room() const noexcept {
    const producer& p = producer_;
    if (p.pushed - p.seen_taken <= p.mask) return true;
    p.seen_taken = consumer_.taken.load(std::memory_order_acquire);  // pairs with pop's release
    return p.pushed - p.seen_taken <= p.mask;
  }
  /// Tells whether the consumer is done with everything pushed. Stays true until the next push.
  [[nodiscard]] bool drained() const noexcept {
    const producer& p = producer_;
    if (p.seen_taken == p.pushed) return true;
    p.seen_taken = consumer_.taken.load(std::memory_order_acquire);  // pairs with pop's release
    return p.seen_taken == p.pushed;
  }
  /// Number of messages ever pushed, modulo 2^32.
  [[nodiscard]] std::uint32_t pushed() const noexcept { return producer_.pushed; }
  /// Number of messages that the consumer is done with, modulo 2^32.
  [[nodiscard]] std::uint32_t taken() const noexcept {
    return consumer_.taken.load(std::memory_order_acquire);  // pairs with pop's release
  }

  /// Pushes a message of `bytes` bytes, which `fill(std::byte* to)` writes.
  ///
  /// Requires: room(), bytes ≤ most(). Cost: a write of one line, of 1 + ⌈bytes/64⌉ beyond
  /// in_line. Throws: what `fill` throws, and then pushes nothing.
  template <class Fill>
  void push(std::uint32_t tag, std::uint16_t mark, std::uint32_t bytes, const Fill& fill) {
    assert(room() && bytes <= most());
    line& to = line_at(producer_, producer_.pushed);
    fill(bytes <= in_line ? to.payload : to.more());
    to.tag = tag;
    to.bytes = bytes;
    to.mark = mark;
    to.number.store(++producer_.pushed,
                    std::memory_order_release);  // pairs with the acquire in ready
  }

  // ---------------------------------------------------------------- consumer

  /// Tells whether there is a message. Stays true until pop.
  [[nodiscard]] bool ready() const noexcept {
    // acquire: pairs with the release in push
    const consumer& c = consumer_;
    return line_at(c, c.popped).number.load(std::memory_order_acquire) == c.popped + 1;
  }
  /// The oldest message. Requires: ready().
  [[nodiscard]] message front() const noexcept {
    const line& from = line_at(consumer_, consumer_.popped);
    return {from.bytes <= in_line ? from.payload : from.more(), from.bytes, from.tag, from.mark};
  }
  /// Lets the oldest message go. Requires: ready().
  void pop() noexcept {
    consumer_.taken.store(++consumer_.popped,
                          std::memory_order_release);  // pairs with the acquire in room, drained
  }

 private:
  struct alignas(cache_line) line {
    std::byte payload[in_line];
    std::uint32_t tag, bytes;
    std::uint16_t mark;
    std::atomic<std::uint32_t> number{0};

    /// The lines behind it.
    [[nodiscard]] std::byte* more() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] const std::byte* more() const noexcept {
      return reinterpret_cast<const std::byte*>(this + 1);
    }
  };
  static_assert(sizeof(line) == cache_line);

  // Copies of the lines' address and layout, beside each side's own counter, to avoid a miss.
  struct alignas(destructive_distance) consumer {
    std::atomic<std::uint32_t> taken{0};
    std::uint32_t popped = 0;
    std::byte* lines = nullptr;
    std::size_t stride = 0;
    std::uint32_t mask = 0;
  };
  struct alignas(destructive_distance) producer {
    std::uint32_t pushed = 0;
    mutable std::uint32_t seen_taken = 0;
    std::byte* lines = nullptr;
    std::size_t stride = 0;
    std::uint32_t mask = 0;
  };

  template <class Side> static line& line_at(const Side& of, std::uint32_t number) noexcept {
    return *std::launder(reinterpret_cast<line*>(of.lines + (number & of.mask) * of.stride));
  }

  /// Bytes from one line to the next.
  static constexpr std::size_t stride_for(std::size_t most) noexcept {
    if (most <= in_line) return sizeof(line);
    return sizeof(line) + (most + cache_line - 1) / cache_line * cache_line;
  }
  struct release {
    void operator()(std::byte* lines) const noexcept {
      ::operator delete (lines, std::align_val_t{destructive_distance});
    }
  };
  using memory = std::unique_ptr<std::byte, release>;
  static memory allocate(std::size_t stride, std::uint32_t messages) {
    memory lines(static_cast<std::byte*>(
        ::operator new (messages* stride, std::align_val_t{destructive_distance})));
    for (std::uint32_t k = 0; k < messages; ++k) new (lines.get() + k * stride) line;
    return lines;
  }

  std::size_t stride_;
  memory lines_;
  consumer consumer_;
  producer producer_;
};

}  // namespace pleat
