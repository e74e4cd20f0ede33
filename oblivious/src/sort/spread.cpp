// SPDX-License-Identifier: Apache-2.0
#include "sort/spread.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/program/past_caches.hpp>

namespace pleat::detail::sorting {
namespace {

/// Calls f with a function that gives the i-th word.
template <sort_word U, class F>
auto with_words(const void* keys, const key_map<U>& map, const F& f) {
  const auto bits_at = [keys](std::size_t i) {
    U bits;
    std::memcpy(&bits, static_cast<const std::byte*>(keys) + i * sizeof(U), sizeof(U));
    return bits;
  };
  if (map.floating) return f([=, map = map](std::size_t i) { return map.to_word(bits_at(i)); });
  return f([=, flip = map.flip](std::size_t i) { return static_cast<U>(bits_at(i) ^ flip); });
}

template <class U, class Load, class Digit>
void count(const Load& load, std::size_t n, const Digit& digit, std::size_t buckets,
           std::uint32_t* counts) {
  std::uint32_t* const others = counts + buckets;  // equal neighbours do not wait
  std::fill_n(counts, 2 * buckets, 0U);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    ++counts[digit(load(i))];
    ++others[digit(load(i + 1))];
  }
  if (i < n) ++counts[digit(load(i))];
  for (std::size_t b = 0; b < buckets; ++b) counts[b] += others[b];
}

template <class U, class Load, class Digit>
void spread_through_caches(const Load& load, std::size_t n, const Digit& digit, std::size_t* first,
                           U* to) {
  for (std::size_t i = 0; i < n; ++i) {
    const U w = load(i);
    to[first[digit(w)]++] = w;
  }
}

template <class U, class Load, class Digit>
void spread_past_caches(const Load& load, std::size_t n, const Digit& digit, std::size_t buckets,
                        const spread_room<U>& room, U* to) {
  constexpr std::uint32_t line = line_words<U>;
  std::uint32_t* const filled = room.filled;
  U* const lines = room.lines;
  // Counts places from the beginning of the cache line in which the share begins.
  for (std::size_t b = 0; b < buckets; ++b)
    filled[b] = static_cast<std::uint32_t>(room.first[b] % line);
  for (std::size_t i = 0; i < n; ++i) {
    const U w = load(i);
    const std::size_t b = digit(w);
    const std::uint32_t place = filled[b]++;
    U* const gathered = lines + b * line;
    gathered[place % line] = w;
    if (place % line != line - 1) [[likely]]
      continue;
    const std::size_t before = room.first[b] % line;
    U* const origin = to + (room.first[b] - before);
    if (place >= line) [[likely]] {
      copy_past_caches(gathered, sizeof(U) * line, origin + (place - (line - 1)));
    } else {  // the first line, shared with the bucket before
      for (std::size_t at = before; at <= place; ++at) origin[at] = gathered[at];
    }
  }
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t before = room.first[b] % line;
    U* const origin = to + (room.first[b] - before);
    const std::size_t end = filled[b];
    for (std::size_t at = std::max(before, end / line * line); at < end; ++at)
      origin[at] = lines[b * line + at % line];
  }
  hwy::FlushStream();
}

}  // namespace

template <sort_word U>
leading_digit<U> leading_digit_of(const void* keys, std::size_t n, const key_map<U>& map,
                                  std::size_t vps, bool any_heavy) {
  return with_words(keys, map, [=](const auto& load) {
    return leading_digit<U>(load, n, vps, {.any_heavy = any_heavy});
  });
}

template <sort_word U>
std::size_t take_heavy(void* keys, std::size_t n, const key_map<U>& map,
                       const heavy_words<U>& heavy, std::uint32_t* counts) {
  constexpr std::size_t most = heavy_words<U>::most;
  std::array<std::array<std::uint32_t, most + 1>, 2> tables{};  // equal neighbours do not wait
  auto* const to = static_cast<std::byte*>(keys);
  std::size_t kept = 0;
  with_words(keys, map, [&](const auto& load) {
    const heavy_words<U> words = heavy;  // which the keys could be, for all the compiler knows
    for (std::size_t i = 0; i < n; ++i) {
      U bits;
      std::memcpy(&bits, to + i * sizeof(U), sizeof(U));
      const std::size_t h = words.find(load(i), 0, most);
      ++tables[i % 2][h];
      std::memcpy(to + kept * sizeof(U), &bits, sizeof(U));
      kept += h == most ? 1 : 0;
    }
  });
  for (std::size_t h = 0; h < heavy.size(); ++h) counts[h] = tables[0][h] + tables[1][h];
  return kept;
}

template <sort_word U>
void count_digits(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, std::uint32_t* counts) {
  with_words(keys, map, [&](const auto& load) {
    digit.visit([&](const auto& d) { count<U>(load, n, d, digit.lights(), counts); });
  });
}

template <sort_word U>
void spread_words(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, const spread_room<U>& room, U* to, bool stream) {
  with_words(keys, map, [&](const auto& load) {
    digit.visit([&](const auto& d) {
      if (stream)
        spread_past_caches<U>(load, n, d, digit.lights(), room, to);
      else
        spread_through_caches<U>(load, n, d, room.first, to);
    });
  });
}

#define PLEAT_SPREAD(U)                                                                            \
  template leading_digit<U> leading_digit_of(const void*, std::size_t, const key_map<U>&,          \
                                             std::size_t, bool);                                   \
  template std::size_t take_heavy(void*, std::size_t, const key_map<U>&, const heavy_words<U>&,    \
                                  std::uint32_t*);                                                 \
  template void count_digits(const void*, std::size_t, const key_map<U>&, const leading_digit<U>&, \
                             std::uint32_t*);                                                      \
  template void spread_words(const void*, std::size_t, const key_map<U>&, const leading_digit<U>&, \
                             const spread_room<U>&, U*, bool);
PLEAT_SPREAD(std::uint32_t)
PLEAT_SPREAD(std::uint64_t)
#undef PLEAT_SPREAD

}  // namespace pleat::detail::sorting
