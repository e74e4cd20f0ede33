// SPDX-License-Identifier: Apache-2.0
#include "sort/record_moves.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/program/past_caches.hpp>

namespace pleat::detail::sorting {
namespace {

/// Calls f with the size as a constant, so that a record is moved in a few instructions.
template <class F, std::size_t... Fours>
void with_size(std::size_t bytes, const F& f, std::index_sequence<Fours...>) {
  static_cast<void>(
      ((bytes == 4 * (Fours + 1) ? (f(std::integral_constant<std::size_t, 4 * (Fours + 1)>()), true)
                                 : false) ||
       ...));
}
template <class F> void with_size(std::size_t bytes, const F& f) {
  with_size(bytes, f, std::make_index_sequence<16>());
}

template <std::size_t Bytes>
void spread(const record_ends& records, std::size_t first, std::size_t count,
            const record_places& places, std::byte* to) {
  constexpr std::size_t line = records_in_line(Bytes);
  // Copies `places`: the compiler must assume that stored bytes alias it.
  const auto [bucket, buckets, begin, filled, lines] = places;
  // Counts places from the beginning of the cache line in which the share begins.
  for (std::size_t b = 0; b < buckets; ++b) filled[b] = static_cast<std::uint32_t>(begin[b] % line);
  alignas(64) std::byte room[record_group * Bytes];
  for (std::size_t i = 0; i < count; i += record_group) {
    const std::size_t some = std::min(record_group, count - i);
    const std::byte* const here = records.look(first + i, some, room);
    for (std::size_t j = 0; j < some; ++j) {
      const std::size_t b = bucket[i + j];
      const std::uint32_t place = filled[b]++;
      std::byte* const gathered = lines + b * line * Bytes;
      std::memcpy(gathered + place % line * Bytes, here + j * Bytes, Bytes);
      if (place % line != line - 1) [[likely]]
        continue;
      const std::size_t before = begin[b] % line;
      std::byte* const origin = to + (begin[b] - before) * Bytes;
      if (place >= line) [[likely]]
        copy_past_caches(gathered, line * Bytes, origin + (place - (line - 1)) * Bytes);
      else  // the first line, shared with the bucket before
        std::memcpy(origin + before * Bytes, gathered + before * Bytes, (line - before) * Bytes);
    }
  }
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t before = begin[b] % line;
    std::byte* const origin = to + (begin[b] - before) * Bytes;
    const std::size_t end = filled[b];
    const std::size_t rest = std::max(before, end / line * line);
    if (rest < end)
      std::memcpy(origin + rest * Bytes, lines + (b * line + rest % line) * Bytes,
                  (end - rest) * Bytes);
  }
  hwy::FlushStream();
}

template <std::size_t Bytes>
void put(const record_ends& records, const std::byte* from, const std::uint32_t* order,
         std::size_t first, std::size_t count, bool stream) {
  alignas(64) std::byte group[record_group * Bytes];
  for (std::size_t i = 0; i < count; i += record_group) {
    const std::size_t some = std::min(record_group, count - i);
    for (std::size_t j = 0; j < some; ++j)
      std::memcpy(group + j * Bytes, from + order[i + j] * Bytes, Bytes);
    records.put(first + i, some, group, stream);
  }
}

}  // namespace

void spread_records(const record_ends& records, std::size_t first, std::size_t count,
                    const record_places& places, std::byte* to) {
  with_size(records.bytes(),
            [&](auto bytes) { spread<decltype(bytes)::value>(records, first, count, places, to); });
}

void put_in_order(const record_ends& records, const std::byte* from, const std::uint32_t* order,
                  std::size_t first, std::size_t count, bool stream) {
  with_size(records.bytes(), [&](auto bytes) {
    put<decltype(bytes)::value>(records, from, order, first, count, stream);
  });
}

void store_bytes(const std::byte* from, std::size_t bytes, std::byte* to, bool stream) noexcept {
  if (!stream) {
    std::memcpy(to, from, bytes);
    return;
  }
  constexpr std::size_t line = 64;
  const std::size_t over = reinterpret_cast<std::uintptr_t>(to) % line;
  const std::size_t head = std::min(over == 0 ? 0 : line - over, bytes);
  const std::size_t lines = (bytes - head) / line * line;
  std::memcpy(to, from, head);
  copy_past_caches(from + head, lines, to + head);
  std::memcpy(to + head + lines, from + head + lines, bytes - head - lines);
}

}  // namespace pleat::detail::sorting
