// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

// for cache_aligned_allocator, destructive_distance
#include <pleat/channels/cache_aligned_allocator.hpp>

namespace pleat::bench {

/// The rival of pleat::channel: the ring a careful programmer writes by hand when nothing but speed
/// counts. No states, no closing, no poison; the capacity must be a power of two.
///
/// Indices count up for ever and are masked on access. Each side keeps a copy of the other's index
/// and looks at the original only when the copy says full (or empty), so that a stream costs far
/// less than one miss an item. What a side writes, and its copy of the other's index, share two
/// lines that the other side reads but never writes; what both only read has two lines of its own.
template <class T>
requires std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>
class cached_ring {
 public:
  explicit cached_ring(std::size_t capacity) : mask_(capacity - 1) {
    if (!std::has_single_bit(capacity))
      throw std::invalid_argument("cached_ring: give a capacity that is a power of two");
    cells_ = cache_aligned_allocator<T>{}.allocate(capacity);
    std::uninitialized_default_construct_n(cells_, capacity);
  }
  cached_ring(const cached_ring&) = delete;
  cached_ring& operator=(const cached_ring&) = delete;
  ~cached_ring() { cache_aligned_allocator<T>{}.deallocate(cells_, mask_ + 1); }

  /// Producer: false if full.
  bool try_push(const T& value) noexcept {
    const std::size_t tail = producer_.index.load(std::memory_order_relaxed);  // its only writer
    if (tail - producer_.seen > mask_) {
      // acquire: pairs with the consumer's release below: the cells it left are free to overwrite
      producer_.seen = consumer_.index.load(std::memory_order_acquire);
      if (tail - producer_.seen > mask_) return false;
    }
    cells_[tail & mask_] = value;
    // release: pairs with the consumer's acquire of this index: the value comes before the index
    producer_.index.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Consumer: false if empty.
  bool try_pop(T& value) noexcept {
    const std::size_t head = consumer_.index.load(std::memory_order_relaxed);  // its only writer
    if (head == consumer_.seen) {
      // acquire: pairs with the producer's release in try_push
      consumer_.seen = producer_.index.load(std::memory_order_acquire);
      if (head == consumer_.seen) return false;
    }
    value = cells_[head & mask_];
    // release: pairs with the producer's acquire: the cell was read before it counts as free
    consumer_.index.store(head + 1, std::memory_order_release);
    return true;
  }

  /// Producer: pushes as many of `values`, from the front, as there is room for; how many.
  std::size_t try_push(std::span<const T> values) noexcept {
    const std::size_t tail = producer_.index.load(std::memory_order_relaxed);
    std::size_t room = mask_ + 1 - (tail - producer_.seen);
    if (room < values.size()) {
      producer_.seen = consumer_.index.load(std::memory_order_acquire);  // pairs as in try_push
      room = mask_ + 1 - (tail - producer_.seen);
    }
    const std::size_t count = std::min(room, values.size());
    if (count == 0) return 0;
    const std::size_t start = tail & mask_, first = std::min(count, mask_ + 1 - start);
    std::memcpy(cells_ + start, values.data(), first * sizeof(T));
    std::memcpy(cells_, values.data() + first, (count - first) * sizeof(T));
    producer_.index.store(tail + count, std::memory_order_release);  // pairs as in try_push
    return count;
  }

  /// Consumer: pops into `values` as many as there are and it holds; how many.
  std::size_t try_pop(std::span<T> values) noexcept {
    const std::size_t head = consumer_.index.load(std::memory_order_relaxed);
    std::size_t there = consumer_.seen - head;
    if (there < values.size()) {
      consumer_.seen = producer_.index.load(std::memory_order_acquire);  // pairs as in try_pop
      there = consumer_.seen - head;
    }
    const std::size_t count = std::min(there, values.size());
    if (count == 0) return 0;
    const std::size_t start = head & mask_, first = std::min(count, mask_ + 1 - start);
    std::memcpy(values.data(), cells_ + start, first * sizeof(T));
    std::memcpy(values.data() + first, cells_, (count - first) * sizeof(T));
    consumer_.index.store(head + count, std::memory_order_release);  // pairs as in try_pop
    return count;
  }

 private:
  struct alignas(destructive_distance) side {
    std::atomic<std::size_t> index{0};  // written by this side only
    std::size_t seen = 0;               // the other side's index as last read
  };

  alignas(destructive_distance) T* cells_ = nullptr;
  std::size_t mask_;
  side producer_, consumer_;
};

}  // namespace pleat::bench
