// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/sort/index_array.hpp>
#include <pleat/oblivious/detail/sort/key_and_value.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/leading_word.hpp>
#include <pleat/oblivious/detail/sort/record_ends.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/oblivious/detail/sort/value_source.hpp>
#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/machine.hpp>

// Decisions of a sort: which items are moved, by how many VPs, by which algorithm. No other file
// decides, except that VPs find during a run that keys are in order, or that they crowd.
namespace pleat::detail::sorting {

// ------------------------------------------------------------------ what is moved

enum class item_kind : unsigned char {
  word,    ///< a number in its own order, as an unsigned word of the same size
  record,  ///< a value of 4 to 64 bytes, or an index, that is sorted by a number
  value,   ///< a value that may be moved as bytes, compared
  index    ///< an index of any other value; values are moved afterwards, if at all
};

struct sort_item {
  item_kind kind;
  std::size_t bytes;
};

/// Size up to which values are moved together with their keys.
inline constexpr std::size_t largest_moved = 64;

/// Tells whether values can be sorted as records by such keys.
template <class T, class K>
inline constexpr bool sorts_records =
    byte_movable<T>&& record_size(sizeof(T)) && leading_word<K>::exact;

/// Items that stand for the values of a range, sorted by less(proj(a), proj(b)).
template <class Iterator, class Compare, class Projection> constexpr sort_item item_of() noexcept {
  using T = std::iter_value_t<Iterator>;
  using K = std::remove_cvref_t<std::indirect_result_t<Projection&, Iterator>>;
  constexpr bool known = order_of<K, Compare> != key_order::custom;
  constexpr bool plain = std::same_as<std::remove_cvref_t<Projection>, std::identity>;
  if (known && plain && has_word<T> && std::contiguous_iterator<Iterator>)
    return {item_kind::word, sizeof(T)};
  if (byte_movable<T> && sizeof(T) <= largest_moved) {
    // Excludes plain floating-point numbers: their order distinguishes the two zeros, but the words
    // of records do not.
    if (known && sorts_records<T, K> && !(plain && std::floating_point<T>))
      return {item_kind::record, sizeof(T)};
    return {item_kind::value, sizeof(T)};
  }
  return {item_kind::index, 16};
}

/// Items that stand for the keys of an array and the values of another, sorted by the keys.
template <class Keys, class Values, class Compare> constexpr sort_item item_of_pairs() noexcept {
  using K = std::iter_value_t<Keys>;
  using V = std::iter_value_t<Values>;
  using pair = key_and_value<K, V>;
  if constexpr (order_of<K, Compare> != key_order::custom &&
                std::same_as<std::iter_reference_t<Keys>, K&> &&
                std::same_as<std::iter_reference_t<Values>, V&>)
    if (sorts_records<pair, K>) return {item_kind::record, sizeof(pair)};
  return {item_kind::index, 16};
}

/// Items that stand for the indices of n keys: with a word of the key, if it has one.
template <class K, class Compare> constexpr sort_item item_of_index(std::size_t n) noexcept {
  if constexpr (leading_word<K>::exists && order_of<K, Compare> != key_order::custom) {
    const bool narrow = leading_word<K>::exact && sizeof(typename leading_word<K>::word) == 4 &&
                        !index_array::wide(n);
    return {item_kind::index, std::size_t{narrow ? 8U : 16U}};
  }
  return {item_kind::index, sizeof(std::size_t)};
}

template <class Iterator, class Compare, class Projection>
inline constexpr bool sorts_words = sorting::item_of<Iterator, Compare, Projection>().kind
                                    == item_kind::word;

// ------------------------------------------------------------------ by how many VPs

/// Tells whether the items are words and so few that one VP sorts them in place, which takes
/// neither a machine nor memory.
constexpr bool sorts_at_once(sort_item item, std::size_t n, const sort_options& options) noexcept {
  return item.kind == item_kind::word && n < 2 * least_bytes_per_vp / item.bytes && !options.vps;
}

/// Returns the number of VPs. Throws: usage_error if the options ask for an invalid one.
inline std::size_t sort_vps(machine& on, std::size_t n, sort_item item,
                            const sort_options& options) {
  // Counting is faster than moving for words of one byte, which have few values.
  const bool counted = item.kind == item_kind::word && item.bytes == 1;
  const std::size_t grains = counted ? 1 : n * item.bytes / least_bytes_per_vp;
  return choose_vps("sort", options.vps, static_cast<double>(grains), on.threads());
}

// ------------------------------------------------------------------ by which algorithm

enum class sort_method : unsigned char {
  in_order,      ///< none: the keys were already in order
  alone,         ///< a sequential sort, by one VP
  network,       ///< Batcher's, of blocks
  recursion,     ///< Columnsort whose columns are segments of VPs: the program of the model
  columns,       ///< Columnsort whose columns are the blocks of single VPs
  distribution,  ///< over buckets by leading digits, which a sample cuts
  counting       ///< the result is written from counts of a few different words
};

/// Greatest number of full buckets; their lines stay in a second-level cache.
inline constexpr std::size_t most_buckets = std::size_t{1} << 11;

/// Facts about words, by a sample of them, and about the processor.
struct sampled_words {
  bool even = false;         ///< even buckets suit them
  bool past_caches = false;  ///< the array is larger than the caches
  bool by_digits = false;    ///< digits sort buckets fastest here, or PLEAT_KERNELS forces them

  /// Tells whether moving the words to buckets is faster than columns. Where vectors sort fastest,
  /// only if the array leaves the caches and even buckets suit it: else the passes of that sort
  /// are as fast as a distribution.
  [[nodiscard]] constexpr bool worth_moving() const noexcept {
    return by_digits || (past_caches && even);
  }
};

struct no_sample {
  sampled_words operator()() const noexcept { return {}; }
};

/// Tells whether each VP has so many items that counting them by buckets and adding up the counts
/// of all VPs costs little.
constexpr bool fits_distribution(sort_item item, std::size_t n, std::size_t vps) noexcept {
  const std::size_t block = n / vps;
  const bool quickly_added = block / most_buckets >= vps / 16;
  switch (item.kind) {
    case item_kind::word:
      return item.bytes >= 4 && block >= std::size_t{1} << 14 && quickly_added &&
             block < std::numeric_limits<std::uint32_t>::max() - 32;
    case item_kind::record:
      return n <= std::numeric_limits<std::uint32_t>::max() &&
             (vps == 1 || (block >= std::size_t{1} << 11 && quickly_added));
    default:
      return false;
  }
}

/// Returns the algorithm for n ≥ 1 items on `vps` VPs, where no distribution is possible.
constexpr sort_method choose(std::size_t n, std::size_t vps) noexcept {
  if (vps == 1) return sort_method::alone;
  if (!divides_vps(n, vps)) return sort_method::columns;
  return vps <= network_vps ? sort_method::network : sort_method::recursion;
}
/// Returns the algorithm for n ≥ 1 items of any kind. `sample()` returns sampled_words; it is
/// called only for words that fit a distribution.
template <class Sample = no_sample>
sort_method choose(sort_item item, std::size_t n, std::size_t vps, const Sample& sample = {}) {
  if (fits_distribution(item, n, vps)) {
    if (item.kind == item_kind::record) return sort_method::distribution;
    if (sample().worth_moving()) return sort_method::distribution;
  }
  return choose(n, vps);
}

/// Name of an algorithm, for run_report::algorithm.
constexpr std::string_view name_of(sort_method how, item_kind what) noexcept {
  constexpr std::string_view names[][4] = {
      {"words in order", "records in order", "values in order", "indices in order"},
      {"sequential sort of words", "sequential sort of records", "sequential sort of values",
       "sequential sort of indices"},
      {"bitonic network of words", "bitonic network of records", "bitonic network of values",
       "bitonic network of indices"},
      {"recursive Columnsort of words", "recursive Columnsort of records",
       "recursive Columnsort of values", "recursive Columnsort of indices"},
      {"Columnsort of words", "Columnsort of records", "Columnsort of values",
       "Columnsort of indices"},
      {"distribution of words", "distribution of records", "distribution of values",
       "distribution of indices"},
      {"counting of words", "counting of records", "counting of values", "counting of indices"}};
  return names[static_cast<std::size_t>(how)][static_cast<std::size_t>(what)];
}

}  // namespace pleat::detail::sorting
