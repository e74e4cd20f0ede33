// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/channels/cache_line.hpp>

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
