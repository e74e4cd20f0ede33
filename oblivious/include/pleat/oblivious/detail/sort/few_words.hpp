// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>

// Sorts of so few numbers that starting any other sort would take longer.
namespace pleat::detail::sorting {

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
  const auto word = [&](std::size_t i) {
    U bits;
    std::memcpy(&bits, keys + i * sizeof(U), sizeof(U));
    return map.to_word(bits);
  };
  const auto put = [&](std::size_t i, U sorted) {
    const U bits = map.from_word(sorted);
    std::memcpy(keys + i * sizeof(U), &bits, sizeof(U));
  };
  sorting::sort_very_few<U>(n, word, put);
}

}  // namespace pleat::detail::sorting
