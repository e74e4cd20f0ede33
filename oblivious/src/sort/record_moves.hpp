// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/record_ends.hpp>

// Moves of records of any record_size, as bytes.
namespace pleat::detail::sorting {

/// Number of records that are read and moved at a time; they stay in the nearest cache.
inline constexpr std::size_t record_group = 128;

/// Number of records of that size that are gathered in a buffer before they are moved to their
/// bucket together: whole cache lines, two at least.
[[nodiscard]] constexpr std::size_t records_in_line(std::size_t bytes) noexcept {
  std::size_t records = 1;
  while (records * bytes < 128 || records * bytes % 64 != 0) records *= 2;
  return records;
}

/// Places of a block's records in the buckets.
struct record_places {
  const std::uint16_t* bucket;  ///< of each record
  std::size_t buckets;
  std::size_t* first;     ///< of each bucket: where the block's share of it begins in `to`
  std::uint32_t* filled;  ///< of each bucket
  std::byte* lines;       ///< records_in_line of each bucket; aligned to 64 bytes
};

/// Copies records [first, first + count) to their buckets in `to`. Lines are gathered in cache and
/// written past it. Other VPs may fill the memory before and after a share at the same time.
/// Requires: count < 2^32; `to` aligned to 64 bytes.
void spread_records(const record_ends& records, std::size_t first, std::size_t count,
                    const record_places& places, std::byte* to);

/// Puts from[order[i]] at place first + i, i < count.
void put_in_order(const record_ends& records, const std::byte* from, const std::uint32_t* order,
                  std::size_t first, std::size_t count, bool stream);

}  // namespace pleat::detail::sorting
