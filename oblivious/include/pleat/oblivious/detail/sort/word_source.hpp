// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::sorting {

/// Bits of key i, loaded and stored by memcpy, because keys may be of any arithmetic type.
template <class U> U load_bits(const void* keys, std::size_t i) noexcept {
  U bits;
  std::memcpy(&bits, static_cast<const std::byte*>(keys) + i * sizeof(U), sizeof(U));
  return bits;
}
template <class U> void store_bits(U bits, void* keys, std::size_t i) noexcept {
  std::memcpy(static_cast<std::byte*>(keys) + i * sizeof(U), &bits, sizeof(U));
}

/// Arithmetic keys in the user's memory, with the map that turns them into words.
template <sort_word U> struct word_source {
  std::byte* keys;
  key_map<U> map;
  bool stream = false;  ///< the array is larger than the caches: write past them

  [[nodiscard]] word_source from(std::size_t first) const noexcept {
    return {keys + first * sizeof(U), map, stream};
  }
  [[nodiscard]] U word(std::size_t i) const noexcept {
    return map.to_word(sorting::load_bits<U>(keys, i));
  }
};

/// n keys become their words, where they are; and back.
template <class U>
PLEAT_API void keys_to_words(std::byte* keys, std::size_t n, const key_map<U>& map);
template <class U>
PLEAT_API void words_to_keys(std::byte* words, std::size_t n, const key_map<U>& map);

/// Sorts n ≥ 1 keys in place, on `vps` VPs. Compiled with the library for the words below.
template <class U>
PLEAT_API run_report sort_words(machine& on, const word_source<U>& keys, std::size_t n,
                                std::size_t vps);

extern template run_report sort_words(machine&, const word_source<std::uint8_t>&, std::size_t,
                                      std::size_t);
extern template run_report sort_words(machine&, const word_source<std::uint16_t>&, std::size_t,
                                      std::size_t);
extern template run_report sort_words(machine&, const word_source<std::uint32_t>&, std::size_t,
                                      std::size_t);
extern template run_report sort_words(machine&, const word_source<std::uint64_t>&, std::size_t,
                                      std::size_t);

// Sequential kernels of the sort, on words of 8, 16, 32 and 64 bits. Highway chooses the vector
// instructions at run time. Memory of the user's keys, of any arithmetic type, is passed as bytes;
// everything else is words. No kernel allocates, throws or synchronises, except that sort_words and
// copy_sorted may allocate a small buffer.
//
// Templates that are compiled with the library have no constraints: compilers differ in whether a
// constraint is a part of the symbol's name, and the user's compiler may not be the library's.

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
/// the others downwards from the back. Returns the size of the first part. For 16 bits and more.
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

/// Tells whether no key is less than the one before.
template <class U>
PLEAT_API bool keys_ascend(const void* keys, std::size_t n, const key_map<U>& map);

/// Orders the streaming stores of `store_keys` before all later stores of this thread.
PLEAT_API void finish_streaming();

// Sorts of so few numbers that starting any other sort would take longer.

/// Greatest number of keys that are sorted by branch-free merges. The vector sort's network of 16
/// vectors takes the same time for any smaller number of keys, about as long as merging this many.
inline constexpr std::size_t few_keys = 64;
/// Greatest number of keys that are sorted inline, without a call.
inline constexpr std::size_t very_few_keys = 4;

template <sort_word U> constexpr void exchange(U& a, U& b) noexcept {
  const U less = b < a ? b : a;
  b = b < a ? a : b;
  a = less;
}

/// Sorts n ≤ 4 words: reads them by word(i) and writes the results by put(i, word).
template <sort_word U, class Word, class Put>
void sort_very_few(std::size_t n, const Word& word, const Put& put) {
  if (n < 2) return;
  // Avoids loops, because compilers turn them into calls of memcpy.
  U a = word(0), b = word(1), c = n > 2 ? word(2) : no_key<U>, d = n > 3 ? word(3) : no_key<U>;
  sorting::exchange(a, b), sorting::exchange(c, d), sorting::exchange(a, c),
      sorting::exchange(b, d), sorting::exchange(b, c);
  put(0, a);
  put(1, b);
  if (n > 2) put(2, c);
  if (n > 3) put(3, d);
}

/// Sorts n ≤ 8 words into `to`, which may be `from`.
///
/// Source: Batcher, Sorting Networks and Their Applications, 1968: 19 exchanges for 8.
template <sort_word U> void sort_by_network(const U* from, std::size_t n, U* to) noexcept {
  if (n <= very_few_keys) {
    if (n == 1) to[0] = from[0];
    return sorting::sort_very_few<U>(
        n, [from](std::size_t i) { return from[i]; },
        [to](std::size_t i, U word) { to[i] = word; });
  }
  std::array<U, 8> v;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = i < n ? from[i] : no_key<U>;
  constexpr std::pair<int, int> network[] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                             {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                             {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
  [&]<std::size_t... Step>(std::index_sequence<Step...>) {
    (sorting::exchange(v[network[Step].first], v[network[Step].second]), ...);
  }
  (std::make_index_sequence<std::size(network)>());
  for (std::size_t i = 0; i < n; ++i) to[i] = v[i];
}

/// Order of words for sort_small, with a network for up to eight of them.
struct word_less {
  static constexpr bool trusted = true;
  template <sort_word U> bool operator()(const U& a, const U& b) const noexcept { return a < b; }
  template <sort_word U> void sort_eight(const U* from, std::size_t n, U* to) const noexcept {
    sorting::sort_by_network(from, n, to);
  }
};

/// Sorts n ≤ few_keys keys in place. Compiled with the library.
template <class U>
PLEAT_API void sort_few_keys(void* keys, std::size_t n, const key_map<U>& map) noexcept;

/// Sorts n ≤ 4 keys in place.
template <sort_word U>
void sort_very_few_keys(std::byte* keys, std::size_t n, const key_map<U>& map) noexcept {
  sorting::sort_very_few<U>(
      n, [&](std::size_t i) { return map.to_word(sorting::load_bits<U>(keys, i)); },
      [&](std::size_t i, U word) { sorting::store_bits(map.from_word(word), keys, i); });
}

}  // namespace pleat::detail::sorting
