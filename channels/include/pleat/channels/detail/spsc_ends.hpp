// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Positions of the producer and the consumer of a bounded queue. Each side keeps a copy of the
/// other's position and reads the original only where the copy says full or empty, so that a stream
/// of single elements costs less than a miss an element.
///
/// The other side takes the line of a position away again and again. Whatever else lies there waits
/// with it: loads of a constant beside the position halve the speed of a stream. So the line of a
/// position has nothing else, and an operation writes one: the position tells how many
/// elements there are and where the side goes on.
///
/// `Order`: what positions mean. `capacity`, and `between(a, b)`, the number of elements from
/// position a to position b; each side has a copy. The first position is 0.
///
/// Memory ordering: `publish` releases what the producer has written, `ready` acquires it;
/// `release` releases what the consumer has read, `room` and `drained` acquire it.
/// Thread safety: one producer, one consumer.
template <class Order> class spsc_ends {
 public:
  explicit spsc_ends(const Order& order) noexcept : producer_(order), consumer_(order) {}

  // ---------------------------------------------------------------- producer

  [[nodiscard]] const Order& producer_order() const noexcept { return producer_.order; }
  [[nodiscard]] std::uint64_t tail() const noexcept {
    return producer_.at.load(std::memory_order_relaxed);  // nobody else writes it
  }
  /// Returns for how many elements there is room: if for fewer than `wanted`, as of now. What is
  /// returned stays until the next publish.
  [[nodiscard]] std::size_t room(std::size_t wanted) const noexcept {
    const side& p = producer_;
    const std::size_t free = p.order.capacity - p.order.between(p.seen, tail());
    if (free >= wanted) return free;
    p.seen = consumer_.at.load(std::memory_order_acquire);  // pairs with release
    return p.order.capacity - p.order.between(p.seen, tail());
  }
  [[nodiscard]] bool drained() const noexcept {
    return room(producer_.order.capacity) == producer_.order.capacity;
  }
  /// Moves the producer. Requires: there was room.
  void publish(std::uint64_t tail) noexcept {
    producer_.at.store(tail, std::memory_order_release);  // pairs with ready
  }

  // ---------------------------------------------------------------- consumer

  [[nodiscard]] const Order& consumer_order() const noexcept { return consumer_.order; }
  [[nodiscard]] std::uint64_t head() const noexcept {
    return consumer_.at.load(std::memory_order_relaxed);  // nobody else writes it
  }
  /// Returns how many elements there are: if fewer than `wanted`, as of now. What is returned stays
  /// until the next release.
  [[nodiscard]] std::size_t ready(std::size_t wanted) const noexcept {
    const side& c = consumer_;
    const std::size_t there = c.order.between(head(), c.seen);
    if (there >= wanted) return there;
    c.seen = producer_.at.load(std::memory_order_acquire);  // pairs with publish
    return c.order.between(head(), c.seen);
  }
  /// Moves the consumer. Requires: these elements were ready.
  void release(std::uint64_t head) noexcept {
    consumer_.at.store(head, std::memory_order_release);  // pairs with room
  }

  /// Makes the queue empty. Requires: nobody else uses it.
  void reset() noexcept {
    for (side* const one : {&producer_, &consumer_}) {
      one->at.store(0, std::memory_order_relaxed);  // ordered by who sees to it that nobody does
      one->seen = 0;
    }
  }

 private:
  struct alignas(destructive_distance) side {
    explicit side(const Order& o) noexcept : order(o) {}

    // Nobody else reads these two.
    Order order;
    mutable std::uint64_t seen = 0;  // position of the other side
    alignas(destructive_distance) std::atomic<std::uint64_t> at{0};
  };

  side producer_, consumer_;
};

}  // namespace pleat::detail
