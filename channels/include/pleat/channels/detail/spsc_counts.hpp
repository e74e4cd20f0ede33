// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Counts of a bounded queue from one producer to one consumer: elements pushed and popped. Each
/// side keeps a copy of the other's count and reads the original only where the copy says full or
/// empty, so that a stream of single elements costs less than a miss an element. `Place`, where a
/// side goes on in the queue's memory, lies beside the count that it changes with.
///
///     producer:  pushed · popped as last read · Place    │    consumer:  popped · pushed · Place
///
/// Memory ordering: `publish` releases what the producer has written, `ready` acquires it;
/// `release` releases what the consumer has read, `room` and `drained` acquire it.
/// Thread safety: one producer, one consumer.
template <class Place> class spsc_counts {
 public:
  spsc_counts(std::size_t capacity, const Place& start) noexcept
      : producer_(capacity, start), consumer_(capacity, start) {}

  // ---------------------------------------------------------------- producer

  [[nodiscard]] Place& to() noexcept { return producer_.place; }
  /// Returns for how many elements there is room: if for fewer than `wanted`, as of now. What is
  /// returned stays until the next publish.
  [[nodiscard]] std::size_t room(std::size_t wanted) const noexcept {
    const side& p = producer_;
    const std::size_t pushed = p.count.load(std::memory_order_relaxed);  // nobody else writes it
    if (p.capacity - (pushed - p.seen) < wanted)
      p.seen = consumer_.count.load(std::memory_order_acquire);  // pairs with release
    return p.capacity - (pushed - p.seen);
  }
  [[nodiscard]] bool drained() const noexcept {
    return room(producer_.capacity) == producer_.capacity;
  }
  /// Requires: there was room for n.
  void publish(std::size_t n) noexcept {
    const std::size_t pushed = producer_.count.load(std::memory_order_relaxed);
    producer_.count.store(pushed + n, std::memory_order_release);  // pairs with ready
  }

  // ---------------------------------------------------------------- consumer

  [[nodiscard]] Place& from() noexcept { return consumer_.place; }
  /// Returns how many elements there are: if fewer than `wanted`, as of now. What is returned stays
  /// until the next release.
  [[nodiscard]] std::size_t ready(std::size_t wanted) const noexcept {
    const side& c = consumer_;
    const std::size_t popped = c.count.load(std::memory_order_relaxed);  // nobody else writes it
    if (c.seen - popped < wanted)
      c.seen = producer_.count.load(std::memory_order_acquire);  // pairs with publish
    return c.seen - popped;
  }
  /// Requires: n were ready.
  void release(std::size_t n) noexcept {
    const std::size_t popped = consumer_.count.load(std::memory_order_relaxed);
    consumer_.count.store(popped + n, std::memory_order_release);  // pairs with room
  }

  /// Makes the queue empty. Requires: nobody else uses it.
  void reset(const Place& start) noexcept {
    for (side* const one : {&producer_, &consumer_}) {
      one->count.store(0, std::memory_order_relaxed);  // ordered by who sees to it that nobody does
      one->seen = 0;
      one->place = start;
    }
  }

 private:
  struct alignas(destructive_distance) side {
    side(std::size_t most, const Place& start) noexcept : capacity(most), place(start) {}

    std::atomic<std::size_t> count{0};
    mutable std::size_t seen = 0;  // the other side's count
    std::size_t capacity;
    Place place;
  };

  side producer_, consumer_;
};

}  // namespace pleat::detail
