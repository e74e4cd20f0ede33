// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

// for destructive_distance
#include <pleat/channels/cache_line.hpp>

namespace pleat {

/// Standard allocator whose blocks share no cache line, nor pair of lines, with other data. A block
/// starts at a multiple of `destructive_distance` (or of alignof(T), if larger); its size is
/// rounded up to a multiple of it. For rings and other arrays that two processors work on.
///
/// Cost: that of aligned operator new; it touches no page, so memory settles on the NUMA node of
/// the thread that writes it first.
/// Throws: allocate throws std::bad_array_new_length if n elements exceed the address space, else
/// std::bad_alloc if there is no memory.
/// Thread safety: stateless; any thread may allocate, any other free.
template <class T> class cache_aligned_allocator {
 public:
  using value_type = T;

  cache_aligned_allocator() = default;
  template <class U>
  constexpr cache_aligned_allocator(const cache_aligned_allocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t n) {
    constexpr auto limit = std::numeric_limits<std::ptrdiff_t>::max() - destructive_distance;
    if (n > limit / sizeof(T)) throw std::bad_array_new_length{};
    return static_cast<T*>(::operator new(round_up_to_distance(n * sizeof(T)), alignment));
  }

  void deallocate(T* block, std::size_t) noexcept {
    ::operator delete(block, alignment);  // unsized: clang declares the sized one only since 19
  }

  template <class U> constexpr bool operator==(const cache_aligned_allocator<U>&) const noexcept {
    return true;
  }

 private:
  static constexpr std::align_val_t alignment{std::max(destructive_distance, alignof(T))};
};

}  // namespace pleat
