// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <cstddef>

namespace pleat {

/// Bytes of a cache line on the processors that Pleat runs on (x86-64, AArch64 servers). A miss
/// transfers one line, so a slot, or a flag with its payload, should fill one. The constant is not
/// std::hardware_…_interference_size, which varies with compiler flags, and with it would vary the
/// layout of every type that uses it.
inline constexpr std::size_t cache_line = 64;

/// Bytes to keep between data that different processors write: two lines, since prefetchers fetch
/// lines in aligned pairs. One line of padding would still let neighbours disturb each other.
inline constexpr std::size_t destructive_distance = 2 * cache_line;

/// `bytes` rounded up to whole destructive distances.
///
/// Requires: bytes <= SIZE_MAX - destructive_distance + 1.
constexpr std::size_t round_up_to_distance(std::size_t bytes) noexcept {
  return (bytes + destructive_distance - 1) / destructive_distance * destructive_distance;
}

static_assert((cache_line & (cache_line - 1)) == 0, "alignments are powers of two");

}  // namespace pleat
