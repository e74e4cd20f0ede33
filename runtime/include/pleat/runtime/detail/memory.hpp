// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

#include <pleat/channels/cache_line.hpp>

namespace pleat::detail {

/// Allocates memory that any thread may free. It comes from oneTBB's scalable allocator; but from
/// the C library in a forked child, where oneTBB's may be locked for ever, and in builds with
/// sanitizers, which check the C library's. A child does not free memory of its parent. `alignment`
/// is a power of two. Throws std::bad_alloc.
[[nodiscard]] PLEAT_API void* take_memory(std::size_t bytes, std::size_t alignment);
/// Frees memory from take_memory; `memory` may be null.
PLEAT_API void give_back_memory(void* memory) noexcept;
/// Makes the allocator return all memory that it keeps to the kernel.
PLEAT_API void give_back_all_memory() noexcept;

/// Bytes of cache that this process can use: the caches of the host (topology::cache_bytes); 32 MiB
/// if these are not known. The first call determines the value; later calls return the same.
/// Thread-safe.
[[nodiscard]] PLEAT_API std::size_t cache_bytes() noexcept;

}  // namespace pleat::detail

#ifdef PLEAT_RED_ZONES
#include <sanitizer/asan_interface.h>
#endif

/// Memory between arrays that are handed out from one block, which nobody may touch. Builds of this
/// project under the address sanitizer have it (PLEAT_RED_ZONES); others have none.
namespace pleat::detail::red_zones {

#ifdef PLEAT_RED_ZONES
inline constexpr std::size_t bytes = destructive_distance;  ///< behind each array, at least
inline void make(const void* first, std::size_t size) noexcept {
  __asan_poison_memory_region(first, size);
}
/// Makes memory usable again: whoever takes it over, and whoever gives it back.
inline void lift(const void* first, std::size_t size) noexcept {
  __asan_unpoison_memory_region(first, size);
}
#else
inline constexpr std::size_t bytes = 0;
inline void make(const void* /*first*/, std::size_t /*size*/) noexcept {}
inline void lift(const void* /*first*/, std::size_t /*size*/) noexcept {}
#endif

}  // namespace pleat::detail::red_zones
