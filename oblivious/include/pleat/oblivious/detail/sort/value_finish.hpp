// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include <pleat/oblivious/detail/sort/merge_two.hpp>
#include <pleat/oblivious/detail/sort/order_traits.hpp>
#include <pleat/oblivious/detail/sort/run_merger.hpp>
#include <pleat/oblivious/detail/sort/shape.hpp>
#include <pleat/runtime/interval.hpp>

// Phases 4 to 8 of Columnsort for one VP's share of the rows, on keys of any type. A slice of each
// column, with the share's rows and the halo, determines a stretch of the result, which is stored.
//
// If the comparator is no strict weak order, VPs may disagree about the keys where two shares meet.
// So each function returns a check word: a hash of where its share begins in the columns, minus a
// hash of where it ends. One VP's end is the next one's beginning, so the check words of all shares
// add up to 0 if and (almost) only if all VPs agree.
namespace pleat::detail::sorting {

inline std::uint64_t mixed(std::initializer_list<std::uint64_t> words) noexcept {
  std::uint64_t mix = 0;  // the steps of splitmix64
  for (const std::uint64_t word : words) {
    mix += word + 0x9e3779b97f4a7c15U;
    mix = (mix ^ (mix >> 30U)) * 0xbf58476d1ce4e5b9U;
    mix = (mix ^ (mix >> 27U)) * 0x94d049bb133111ebU;
    mix ^= mix >> 31U;
  }
  return mix;
}

/// Rows of a column that the finish of a share reads: the share's rows and the halo, as far as they
/// exist.
[[nodiscard]] constexpr interval<> slice_rows(const block_shape& shape, const interval<>& share,
                                              std::size_t rows) noexcept {
  const std::size_t h = shape.halo();
  const std::size_t first = std::max(share.first, h) - h;
  const std::size_t last = share.empty() ? 0 : std::min(share.last + h, rows);
  return {first, std::max(first, last)};
}

/// Finishes two columns, of which `a` and `b` have the rows from `from` on; b is as long as a or
/// shorter by one. Every key is at most one place off, so neighbours are compared and exchanged:
/// first the two keys of a row, then the greater key of a row and the lesser one of the next row.
template <class Source, class Key>
std::uint64_t finish_two(const Source& keys, const interval<>& share, std::size_t from,
                         std::span<const Key> a, std::span<const Key> b) {
  constexpr bool trusted = trusted_order<typename Source::order_type>;
  struct couple {
    const Key* lesser;
    const Key* greater;
  };
  const auto in_order = [&keys](const Key* x, const Key* y) -> couple {
    const std::size_t exchange = sorting::without_branch((*keys.order)(*y, *x));
    return {sorting::choose(exchange, x, y), sorting::choose(exchange, y, x)};
  };
  const auto row = [&](std::size_t r) -> couple {
    const std::size_t i = r - from;
    if (i >= b.size()) return {&a[i], nullptr};
    return in_order(&a[i], &b[i]);
  };
  const auto cut_above = [&](std::size_t r, const couple& seam) {  // which keys stand there
    const std::size_t i = r - from;
    const auto place = [&](const Key* k) -> std::uint64_t {
      return k == &a[i - 1]   ? 2 * r - 2
             : k == &b[i - 1] ? 2 * r - 1
             : k == &a[i]     ? 2 * r
                              : 2 * r + 1;
    };
    return sorting::mixed({place(seam.lesser), place(seam.greater)});
  };
  std::uint64_t cuts = 0;
  const std::size_t last = std::min(share.last, from + a.size());
  const Key* above = share.first == 0 ? nullptr : row(share.first - 1).greater;
  for (std::size_t r = share.first; r < last; ++r) {
    const couple here = row(r);
    if (above == nullptr) {  // nothing is above the first row
      keys.store(2 * r, *here.lesser);
    } else {
      const couple seam = in_order(above, here.lesser);
      if (r != share.first)
        keys.store(2 * r - 1, *seam.lesser);
      else if (!trusted)
        cuts += cut_above(r, seam);
      keys.store(2 * r, *seam.greater);
    }
    above = here.greater;
  }
  if (above == nullptr) return cuts;  // the last key of all stands in the first column
  if (last < from + a.size()) {
    const couple seam = in_order(above, row(last).lesser);
    if (!trusted) cuts -= cut_above(last, seam);
    above = seam.lesser;
  }
  keys.store(2 * last - 1, *above);
  return cuts;
}

/// Finishes any number of columns: merges their slices, and leaves out the keys that belong to
/// other shares.
template <class Source, class Key>
std::uint64_t finish_many(const Source& keys, const block_shape& shape, const interval<>& share,
                          std::span<const std::span<const Key>> slices) {
  using order_type = typename Source::order_type;
  const std::size_t s = shape.columns;
  const std::size_t from = slice_rows(shape, share, shape.rows).first;
  const std::size_t stop = std::min(share.last * s, shape.keys);
  run_merger<Key, const order_type> window(s, *keys.order);
  for (std::size_t c = 0; c < s; ++c) window.set_run(c, slices[c].data(), slices[c].size(), 1);
  window.start();
  // Returns a hash of how many keys of each column come before a place; 0 for the first place and
  // the end.
  const auto cut_before = [&](std::size_t place) -> std::uint64_t {
    if (trusted_order<order_type> || place == 0 || place == shape.keys) return 0;
    std::uint64_t cut = 0;
    for (std::size_t c = 0; c < s; ++c)
      cut += sorting::mixed({place, c, std::min(from + window.taken(c), shape.column(c))});
    return cut;
  };
  std::size_t place = share.first * s;
  for (std::size_t i = from * s; i < place; ++i) window.next();
  const std::uint64_t beginning = cut_before(place);
  for (; place < stop; ++place) keys.store(place, window.next());
  return beginning - cut_before(place);
}

}  // namespace pleat::detail::sorting
