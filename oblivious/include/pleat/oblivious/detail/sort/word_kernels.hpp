// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/sort/keys.hpp>

// Sequential kernels of the sort, on words of 8, 16, 32 and 64 bits. Highway chooses the vector
// instructions at run time. Memory of the user's keys, of any arithmetic type, is passed as bytes;
// everything else is words. No kernel allocates, throws or synchronises, except that sort_words and
// copy_sorted may allocate a small buffer.
//
// Templates that are compiled with the library have no constraints: compilers differ in whether a
// constraint is a part of the symbol's name, and the user's compiler may not be the library's.
namespace pleat::detail::sorting {

/// Number of words that `merge_words` may read beyond those it can consume.
inline constexpr std::size_t merge_slack = 64;
/// Number of words of which `merge_words` produces multiples.
inline constexpr std::size_t merge_quantum = 128;

/// Sorts n words upwards, in place.
template <class U> PLEAT_API void sort_words(U* words, std::size_t n);

/// Sorts n keys in place: the same order as sorting their words, without a second array.
template <class U> PLEAT_API void sort_keys(void* keys, std::size_t n, const key_map<U>& map);

/// Writes the words of n keys to `to`, sorted. The first step of the sort is done while the keys
/// are moved, so the copy costs no pass of its own. Requires: `to` does not overlap the keys.
template <class U>
PLEAT_API void copy_sorted(const void* keys, std::size_t n, const key_map<U>& map, U* to);

/// Writes the words of n keys to `to` in two parts: those less than `pivot` upwards from the front,
/// the others downwards from the back. Returns the size of the first part.
template <class U>
PLEAT_API std::size_t copy_partitioned(const void* keys, std::size_t n, const key_map<U>& map,
                                       U pivot, U* to);

/// Merges the next `count` words of two sorted sequences a[0], a[stride], … and b[0], b[stride], …;
/// returns how many of them came from `a`.
/// Requires: stride 1 or 2; count a multiple of merge_quantum; `a` and `b` each hold at least
/// count + merge_slack sorted words (pad with no_key). Cost: about one compare-exchange of a vector
/// per log2(its lanes) words, whatever the order of the keys.
template <class U>
PLEAT_API std::size_t merge_words(const U* a, const U* b, std::size_t stride, std::size_t count,
                                  U* out);

/// Sets to[i] = from[i * stride], i < count.
template <class U>
PLEAT_API void gather_words(const U* from, std::size_t stride, std::size_t count, U* to);

/// Performs the finish for two columns: compare-exchanges neighbours of the sequence
/// a[0] b[0] a[1] b[1] … at even, then at odd places, for rows [0, rows); `out` gets 2 * rows
/// words. Reads rows -1 and `rows` as well.
template <class U>
PLEAT_API void exchange_neighbours(const U* a, const U* b, std::size_t rows, U* out);

/// Writes n words back as keys; with `stream`, past the caches (for arrays larger than them).
template <class U>
PLEAT_API void store_keys(const U* words, std::size_t n, const key_map<U>& map, void* keys,
                          bool stream);

/// Orders the streaming stores of `store_keys` before all later stores of this thread.
PLEAT_API void finish_streaming();

}  // namespace pleat::detail::sorting
