// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/keys.hpp>

#include "sort/leading_digit.hpp"

// Distribution of words over buckets by their leading digit: they are counted first, then moved.
namespace pleat::detail::sorting {

/// Number of words that are gathered in a buffer before they are moved to their bucket together.
/// It is large enough that the branch which finds a buffer full is seldom mispredicted, and small
/// enough that the buffers of all buckets stay in a second-level cache.
template <class U> inline constexpr std::size_t line_words = 32;

/// Makes the buckets of n keys' words for `vps` VPs. The sample depends on n and the keys alone.
template <sort_word U>
[[nodiscard]] leading_digit<U> leading_digit_of(const void* keys, std::size_t n,
                                                const key_map<U>& map, std::size_t vps,
                                                bool any_heavy = true);

/// Counts how often each heavy word occurs among n keys, and moves all other keys to the front, in
/// their order. Returns the number of these; the keys behind them are unspecified. `counts` need
/// not be cleared. Requires: n < 2^32; there are heavy words.
template <sort_word U>
[[nodiscard]] std::size_t take_heavy(void* keys, std::size_t n, const key_map<U>& map,
                                     const heavy_words<U>& heavy, std::uint32_t* counts);

/// Counts how many of n keys' words each light bucket gets. `counts` need not be cleared; as much
/// memory again behind it is used. Requires: n < 2^32; no word is heavy.
template <sort_word U>
void count_digits(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, std::uint32_t* counts);

/// Places of a block's words in the buckets.
template <class U> struct spread_room {
  std::size_t* first;     ///< of each bucket: where the block's share of it begins in `to`
  std::uint32_t* filled;  ///< of each bucket
  U* lines;               ///< line_words of each bucket; aligned to them
};

/// Moves the words of n keys to their light buckets in `to`; room.first is changed. With `stream`,
/// meant for arrays larger than the caches, lines are gathered in cache and written past it, so
/// that writing a word does not read the bucket's memory. Other VPs may fill the memory before and
/// after a share at the same time.
/// Requires: n < 2^32; `to` aligned to a line.
template <sort_word U>
void spread_words(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, const spread_room<U>& room, U* to, bool stream);

}  // namespace pleat::detail::sorting
