// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail {

/// Where equally long arrays lie in a block of memory that is taken later. They hold no objects
/// yet.
template <class T> class placed_arrays {
 public:
  placed_arrays() = default;
  placed_arrays(std::size_t offset, std::size_t stride) noexcept
      : offset_(offset), stride_(stride) {}

  /// The i-th, in a block that begins at `memory`.
  [[nodiscard]] T* in(std::byte* memory, std::size_t i = 0) const noexcept {
    return reinterpret_cast<T*>(memory + offset_ + i * stride_);
  }

 private:
  std::size_t offset_ = 0;
  std::size_t stride_ = 0;  // bytes
};

/// What a program keeps in its machine's scratch memory: arrays one behind the other, each on lines
/// of its own, so that no two VPs write one.
///
///     memory_layout layout;
///     const auto keys = layout.add<key>(n);                 // first all sizes,
///     const auto work = layout.add<key>(each, vps);         // an array for each VP
///     std::byte* const memory = layout.take(machine);       // then the memory
///     sort(keys.in(memory), work.in(memory, me.rank()));
///
/// A copy of a layout goes on where the layout ends. So one copy for each step of a program lays
/// out what the steps use one after the other in the same memory; the larger copy is taken.
class memory_layout {
 public:
  template <class T> placed_arrays<T> add(std::size_t length, std::size_t arrays = 1) {
    static_assert(alignof(T) <= destructive_distance, "arrays are aligned to 128 bytes, no more");
    const std::size_t stride = round_up_to_distance(length * sizeof(T));
    const placed_arrays<T> added(bytes_, stride);
    bytes_ += arrays * stride;
    return added;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Null if there is nothing in it. Requires: a turn at the machine. Throws: std::bad_alloc.
  [[nodiscard]] std::byte* take(machine& on) const {
    return bytes_ == 0 ? nullptr : on.scratch(bytes_).data();
  }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace pleat::detail
