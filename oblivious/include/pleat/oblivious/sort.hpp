// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/sort/keys.hpp>
#include <pleat/oblivious/sort/program.hpp>
#include <pleat/oblivious/sort/value_column.hpp>
#include <pleat/oblivious/sort/word_column.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

struct sort_options {
  /// How many virtual processors to sort with, any number; unset: one a processor, fewer if there
  /// are few keys. The keys' number, if a power of two: the program of the model, one key a VP.
  std::optional<std::size_t> vps;
};

namespace detail::sorting {

/// Fewer bytes than this per VP are sorted before a second processor has heard of them.
inline constexpr std::size_t least_block_bytes = std::size_t{1} << 16;
/// Larger arrays are written past the caches.
inline constexpr std::size_t streamed_bytes = std::size_t{1} << 24;

inline std::size_t sort_vps(machine& on, std::size_t n, std::size_t key_bytes,
                            const sort_options& options) {
  if (options.vps) {
    if (*options.vps == 0)
      throw usage_error("sort: 0 virtual processors cannot sort; leave sort_options::vps unset");
    return *options.vps;
  }
  // One byte has so few values that counting them beats anything that moves them.
  if (key_bytes == 1) return 1;
  return std::clamp<std::size_t>(n * key_bytes / least_block_bytes, 1, on.processors());
}

template <class Column>
run_report run_sort(machine& on, const typename Column::source& keys, std::size_t n,
                    std::size_t vps) {
  columnsort_program<Column> program(on, keys, n, vps);
  try {
    return on.run(vps, [&program](vp& me) { return program(me); });
  } catch (const vp_failed& failure) {
    program.restore();
    failure.rethrow_cause();
  }
}

template <class Column>
run_report sort_with(machine& on, const typename Column::source& keys, std::size_t n,
                     std::size_t vps) {
  if (vps > 1) return run_sort<Column>(on, keys, n, vps);
  Column::sort_alone(keys, n);
  return {};
}

}  // namespace detail::sorting

/// Sorts a range by recursive Columnsort on the virtual processors of a machine.
///
/// Requires: a contiguous range (vector, array, span) of values that may be copied as bytes
/// (numbers, plain structs, pairs of them); `less` a strict weak order of them. It is called by all
/// VPs at once, and not copied. Not for use inside a run.
///
/// Guarantees: the range is sorted; equal elements may change places. Arithmetic keys compared by
/// less or greater (of std or std::ranges) end up bit for bit the same whatever the machine, and
/// floating point is ordered totally: NaNs come last whatever their sign and whatever the
/// direction, and -0.0 before +0.0 (after it when descending). Returns what the run did; the
/// report is empty if none took place, because one VP sorts without.
///
/// Cost: O((n log n)/P + n) local work, h = O(n/P) keys in O(1 + n/(P·2^14)) supersteps; memory for
/// n further keys, taken from the machine, which keeps it for the next time. None of this for one
/// VP, which sorts in place.
///
/// Throws: what `less` throws (the range then holds its values in some order); std::bad_alloc;
/// usage_error for 0 VPs. Thread safety: one call per machine at a time.
///
/// Source: Leighton, Tight Bounds on the Complexity of Parallel Sorting, 1985; Bilardi et al.,
/// Network-Oblivious Algorithms, section 4.
template <std::ranges::random_access_range R, class Compare = std::ranges::less>
run_report sort(machine& on, R&& range, Compare less = {}, const sort_options& options = {}) {
  using T = std::ranges::range_value_t<R>;
  static_assert(std::ranges::contiguous_range<R> && std::ranges::sized_range<R>,
                "pleat::sort needs its values in one block of memory: a vector, array or span");
  static_assert(
      std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T> &&
          std::copyable<T>,
      "pleat::sort copies values as bytes, which these do not allow: sort indices of them "
      "or pointers to them");
  static_assert(std::sortable<std::ranges::iterator_t<R>, Compare>,
                "pleat::sort needs a range it may write to and a comparator of its values");
  const std::size_t n = static_cast<std::size_t>(std::ranges::size(range));
  const std::size_t vps = detail::sorting::sort_vps(on, n, sizeof(T), options);
  if (n < 2) return {};
  T* const data = std::ranges::data(range);
  constexpr detail::sorting::key_order order = detail::sorting::order_of<T, Compare>;
  if constexpr (detail::sorting::has_word<T> && order != detail::sorting::key_order::custom) {
    using column = detail::sorting::word_column<detail::sorting::word_of<T>>;
    return detail::sorting::sort_with<column>(
        on,
        {reinterpret_cast<std::byte*>(data),
         detail::sorting::key_map_of<T>(order == detail::sorting::key_order::descending),
         n * sizeof(T) >= detail::sorting::streamed_bytes},
        n, vps);
  } else if constexpr (std::floating_point<T> && order != detail::sorting::key_order::custom) {
    detail::sorting::total_less<T> total{order == detail::sorting::key_order::descending};
    using column = detail::sorting::value_column<T, detail::sorting::total_less<T>>;
    return detail::sorting::sort_with<column>(on, {data, &total}, n, vps);
  } else {
    const auto before = [&less](const T& a, const T& b) -> bool { return std::invoke(less, a, b); };
    using column = detail::sorting::value_column<T, decltype(before)>;
    return detail::sorting::sort_with<column>(on, {data, &before}, n, vps);
  }
}

}  // namespace pleat
