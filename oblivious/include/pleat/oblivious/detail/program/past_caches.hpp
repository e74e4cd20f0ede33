// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <pleat/runtime/detail/memory.hpp>

namespace pleat::detail {

/// Tells whether a loop that reads and writes that many bytes in all writes its results past the
/// caches. Where the caches cannot hold them, the first results have left them when the last one is
/// written, and a store through the caches would have read each line before it changes it.
inline bool passes_caches(std::size_t bytes) noexcept {
  constexpr std::size_t any_cache = std::size_t{1} << 17;  // a call of few bytes calls nothing else
  return bytes >= any_cache && bytes >= cache_bytes();
}

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

/// Orders what was copied past the caches before whatever this thread does next.
inline void finish_past_caches() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Copies bytes to any place: whole lines past the caches, what is left through them.
inline void copy_bytes_past_caches(const void* from, std::size_t bytes, void* to) {
  constexpr std::size_t line = 64;
  if (bytes == 0) return;  // which may be of no memory
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % line;
  const std::size_t head = std::min(bytes, past == 0 ? 0 : line - past);
  const std::size_t body = (bytes - head) / line * line;
  std::memcpy(target, source, head);
  copy_past_caches(source + head, body, target + head);
  std::memcpy(target + head + body, source + head + body, bytes - head - body);
}

}  // namespace pleat::detail
