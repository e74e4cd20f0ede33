// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pleat::detail {

/// Copies bytes past the caches, in code that is compiled once: where every processor of the
/// architecture can; elsewhere through them. Whole lines, or memory is read to complete them.
/// Requires: `to` aligned to 16 bytes, and a multiple of them.
inline void copy_past_caches(const void* from, std::size_t bytes, void* to) {
#if defined(__SSE2__)
  const auto* const source = static_cast<const __m128i*>(from);
  auto* const target = static_cast<__m128i*>(to);
  for (std::size_t i = 0; i < bytes / sizeof(__m128i); ++i)
    _mm_stream_si128(target + i, _mm_loadu_si128(source + i));
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace pleat::detail
