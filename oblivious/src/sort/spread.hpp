// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/keys.hpp>

#include "sort/leading_digit.hpp"

// Words are spread over buckets by their leading digit: counted first, then moved.
namespace pleat::detail::sorting {

/// Words that are gathered before they are moved to their bucket, all at once.
/// So many that the branch which finds a line full is seldom mispredicted, and as much as leaves
/// the lines of all buckets in a second-level cache.
template <class U> inline constexpr std::size_t line_words = 32;

/// Of n keys' words, for that many VPs. The sample is the same whoever draws it.
template <sort_word U>
[[nodiscard]] leading_digit<U> leading_digit_of(const void* keys, std::size_t n,
                                                const key_map<U>& map, std::size_t vps,
                                                bool any_heavy = true);

/// Counts how many of n keys are each heavy word, and moves the others to the front, in their
/// order; behind them are any keys. Returns their number. `counts` need not be cleared.
/// Requires: n < 2^32; heavy words.
template <sort_word U>
[[nodiscard]] std::size_t take_heavy(void* keys, std::size_t n, const key_map<U>& map,
                                     const heavy_words<U>& heavy, std::uint32_t* counts);

/// Counts how many of n keys' words each light bucket gets. `counts` need not be cleared; as many
/// again behind them are used. Requires: n < 2^32; no heavy word among them.
template <sort_word U>
void count_digits(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, std::uint32_t* counts);

/// Where a block's words go.
template <class U> struct spread_room {
  std::size_t* first;     ///< of each bucket: where the block's share of it begins in `to`
  std::uint32_t* filled;  ///< of each bucket
  U* lines;               ///< line_words of each bucket; aligned to them
};

/// Moves the words of n keys to their light buckets in `to`; room.first is changed. With `stream`,
/// for what is larger than the caches, by lines that are gathered in cache and written past it: a
/// bucket is not read for having a word written to it. Others may fill what comes before and after
/// a share.
/// Requires: n < 2^32; `to` aligned to a line.
template <sort_word U>
void spread_words(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, const spread_room<U>& room, U* to, bool stream);

}  // namespace pleat::detail::sorting
