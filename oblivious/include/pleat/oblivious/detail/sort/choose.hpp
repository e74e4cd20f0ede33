// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/value_records.hpp>
#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::sorting {

/// Array of n indices in as few bytes as they need.
class index_array {
 public:
  [[nodiscard]] static constexpr bool wide(std::size_t n) noexcept { return n >> 32U != 0; }
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t n) noexcept {
    return n * (wide(n) ? 8 : 4);
  }

  explicit index_array(std::size_t n) noexcept : wide_(wide(n)) {}
  /// Requires: `memory` of bytes(n), aligned for 8.
  void lie_at(std::byte* memory) noexcept { memory_ = memory; }

  void set(std::size_t i, std::size_t index) const noexcept {
    if (wide_)
      reinterpret_cast<std::uint64_t*>(memory_)[i] = index;
    else
      reinterpret_cast<std::uint32_t*>(memory_)[i] = static_cast<std::uint32_t>(index);
  }
  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
    return wide_ ? reinterpret_cast<const std::uint64_t*>(memory_)[i]
                 : reinterpret_cast<const std::uint32_t*>(memory_)[i];
  }

 private:
  std::byte* memory_ = nullptr;
  bool wide_;
};

constexpr std::size_t ceiling_division(std::size_t a, std::size_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}
constexpr std::size_t round_up(std::size_t a, std::size_t multiple) noexcept {
  return ceiling_division(a, multiple) * multiple;
}

/// Shape of Columnsort on an r × s matrix of which each column is one VP's block. Any number of
/// keys fits: the last blocks are shorter, or empty, and the keys missing there count as +infinity.
///
/// After phase 4 (r a multiple of s) every key is at most `displacement` places from its final
/// place if ties are broken by the place after phase 4. So places [x·s, y·s) of the result depend
/// only on rows [x, y) of all columns and `halo` rows on both sides. The rows are merged and
/// finished chunk by chunk; the finish of chunk t trails the merge by `halo` rows, and every VP
/// finishes an equal share of it.
struct block_shape {
  std::size_t keys;        ///< n
  std::size_t columns;     ///< s ≥ 1
  std::size_t rows;        ///< r, a multiple of s, r·s ≥ n
  std::size_t chunk_rows;  ///< merged at a time, a multiple of the quantum
  std::size_t quantum;     ///< what the merge produces at a time

  /// Number of keys in block c.
  [[nodiscard]] constexpr std::size_t block(std::size_t c) const noexcept {
    return std::clamp(keys, c * rows, (c + 1) * rows) - c * rows;
  }
  /// Number of keys that phase 2 sends from block c to column j: the elements j, j + s, …
  [[nodiscard]] constexpr std::size_t run(std::size_t c, std::size_t j) const noexcept {
    const std::size_t held = block(c);
    return held > j ? ceiling_division(held - j, columns) : 0;
  }
  /// Number of keys in column j after phase 2.
  [[nodiscard]] constexpr std::size_t column(std::size_t j) const noexcept {
    const std::size_t whole = keys / rows;  // blocks
    return whole * (rows / columns) + (whole < columns ? run(whole, j) : 0);
  }
  [[nodiscard]] constexpr std::size_t displacement() const noexcept {
    return (columns - 1) * (columns - 1);
  }
  [[nodiscard]] constexpr std::size_t halo() const noexcept {
    return ceiling_division(displacement(), columns);
  }
  [[nodiscard]] constexpr std::size_t chunks() const noexcept {
    return ceiling_division(rows + halo(), chunk_rows);
  }
  /// Number of rows of every column that chunk t merges.
  [[nodiscard]] constexpr std::size_t merged_rows(std::size_t t) const noexcept {
    return std::min(chunk_rows, round_up(rows + halo() - t * chunk_rows, quantum));
  }
  /// Rows that chunk t finishes.
  [[nodiscard]] constexpr interval<> finished_rows(std::size_t t) const noexcept {
    const std::size_t h = halo(), first = t * chunk_rows;
    return {first < h ? 0 : first - h, std::min(rows, first + chunk_rows - h)};
  }
  /// Share of VP q of the rows that chunk t finishes.
  [[nodiscard]] constexpr interval<> share(std::size_t t, std::size_t q) const noexcept {
    return finished_rows(t).share(q, columns);
  }
  /// Number of rows that a VP keeps of each of the two current chunks: the chunk and the rows
  /// before it that the halos need.
  [[nodiscard]] constexpr std::size_t kept_rows() const noexcept { return chunk_rows + 2 * halo(); }
};

/// Makes the shape for n keys in s columns. A chunk is long, so that the halo and the
/// synchronisation cost little, but short enough that merged rows are still in a second-level cache
/// when they are finished. Requires: s ≥ 1.
constexpr block_shape make_block_shape(std::size_t n, std::size_t s, std::size_t quantum) {
  assert(s >= 1 && quantum >= 1);
  block_shape shape{n, s, std::max(s, round_up(ceiling_division(n, s), s)), 0, quantum};
  const std::size_t wanted = std::max({std::size_t{1} << 14, 4 * s * s, 512 * s});
  shape.chunk_rows = std::min(round_up(wanted, quantum),
                              round_up(std::max(shape.rows, s) + shape.halo(), quantum));
  return shape;
}

/// Matrix of the literal recursion on m keys, m ≥ 4 a power of two. r is the smallest power of two
/// with r ≥ m^(2/3) and r ≥ 2(s − 1)², s = m/r; but s ≥ 2.
/// Source: Leighton, Tight Bounds on the Complexity of Parallel Sorting, 1985, for the condition.
struct matrix_shape {
  std::size_t rows, columns;
};
constexpr matrix_shape make_matrix_shape(std::size_t m) {
  assert(m >= 4 && std::has_single_bit(m));
  const auto bits = static_cast<unsigned>(std::countr_zero(m));
  std::size_t rows = std::size_t{1} << std::min((2 * bits + 2) / 3, bits - 1);
  while (rows < 2 * (m / rows - 1) * (m / rows - 1)) rows *= 2;
  return {rows, m / rows};
}

/// Greatest number of VPs of a segment that is sorted by a network, or as a matrix of any shape.
inline constexpr std::size_t network_vps = 32;

/// Tells whether the blocks of w VPs, b keys each, may be the columns of a matrix. A matrix must
/// not have more columns than rows. In the finish a VP merges its share, b keys, and 2(w − 1)² more
/// at its sides. So with many columns there must be as many rows as the square of their number, or
/// the finish would take longer than the sort.
constexpr bool is_matrix(std::size_t w, std::size_t b) noexcept {
  return b >= w && (w <= network_vps || b / w >= w);
}

/// Distribution of n keys over the P VPs that sort them.
struct sort_plan {
  std::size_t keys;     ///< n
  std::size_t holders;  ///< VPs that hold keys: the first ones
  std::size_t block;    ///< keys each of them holds in the recursion; 0: all VPs sort one matrix

  /// Matrix that a segment of w VPs sorts with a column for each VP. It has no columns if the
  /// segment must divide first.
  [[nodiscard]] constexpr block_shape matrix(std::size_t w, std::size_t quantum) const {
    if (block == 0) return make_block_shape(keys, holders, quantum);
    if (is_matrix(w, block)) return make_block_shape(w * block, w, quantum);
    return {0, 0, 0, 0, quantum};
  }
  /// Matrix of the segments at which the recursion of all VPs ends. It has no columns if these are
  /// sorted by networks.
  [[nodiscard]] constexpr block_shape last_matrix(std::size_t quantum) const {
    std::size_t w = holders;
    if (block != 0)
      while (!is_matrix(w, block) && w > network_vps) w = make_matrix_shape(w * block).rows / block;
    return matrix(w, quantum);
  }
};

/// Tells whether VPs divide their segments until matrices or networks fit: n and the number of VPs
/// are powers of two, and blocks are shorter than there are VPs.
constexpr bool divides_vps(std::size_t n, std::size_t vps) noexcept {
  return std::has_single_bit(vps) && std::has_single_bit(n) && n >= vps && n / vps < vps;
}

/// Makes the plan of a Columnsort: the literal recursion if divides_vps, else one matrix, on as
/// many of the VPs as it may have columns: √n, and beyond 32 of them n^(1/3).
constexpr sort_plan make_sort_plan(std::size_t n, std::size_t vps) {
  assert(n >= 1 && vps >= 1);
  if (divides_vps(n, vps)) return {n, vps, n / vps};
  if (is_matrix(vps, n / vps)) return {n, vps, 0};
  std::size_t holders = 1;
  while (holders < vps && is_matrix(holders + 1, n / (holders + 1))) ++holders;
  return {n, holders, 0};
}

// Decisions of a sort: which items are moved, by how many VPs, by which algorithm. No other file
// decides, except that VPs find during a run that keys are in order, or that they crowd.

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
      return n <= std::numeric_limits<std::uint32_t>::max() - 64 &&
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
