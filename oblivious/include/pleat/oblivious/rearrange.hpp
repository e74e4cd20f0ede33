// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/moves.hpp>
#include <pleat/oblivious/detail/everyday/shuffling.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Reverses the order of the elements; returns the end of the range.
///
/// ```cpp
/// pleat::reverse(machine, keys);
/// ```
///
/// Requires: elements that can be swapped. Cost: n/2 swaps, without a barrier.
/// Throws: what a swap throws; elements are then in some order. What all everyday algorithms have
/// in common: range_options.hpp.
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> reverse(
    machine& on, R&& range, const range_options& options = {}) {
  detail::everyday::venue where(on);
  const std::size_t n = detail::everyday::size_of(range);
  detail::everyday::reverse(where, detail::everyday::changeable_begin_of(range), n, options);
  return detail::everyday::place(std::forward<R>(range), n);
}
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> reverse(
    R&& range, const range_options& options = {}) {
  detail::everyday::venue where;
  const std::size_t n = detail::everyday::size_of(range);
  detail::everyday::reverse(where, detail::everyday::changeable_begin_of(range), n, options);
  return detail::everyday::place(std::forward<R>(range), n);
}

/// Moves the first `middle` elements behind all others, in order; returns where the first of them
/// then is.
///
/// ```cpp
/// pleat::rotate(machine, keys, 3);                  // the fourth comes first
/// ```
///
/// Requires: elements that can be swapped. Cost: n swaps; one 0-superstep.
/// Throws: usage_error if `middle` is beyond the end; what a swap throws, elements are then in some
/// order.
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> rotate(
    machine& on, R&& range, std::size_t middle, const range_options& options = {}) {
  detail::everyday::venue where(on);
  const std::size_t n = detail::everyday::size_of(range);
  detail::everyday::rotate(where, detail::everyday::changeable_begin_of(range), n, middle, options);
  return detail::everyday::place(std::forward<R>(range), n - middle);
}
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> rotate(
    R&& range, std::size_t middle, const range_options& options = {}) {
  detail::everyday::venue where;
  const std::size_t n = detail::everyday::size_of(range);
  detail::everyday::rotate(where, detail::everyday::changeable_begin_of(range), n, middle, options);
  return detail::everyday::place(std::forward<R>(range), n - middle);
}

/// Puts the elements in a random order, each with the same probability as far as 64 bits of seed
/// allow: the same order for the same seed, size, and version of Pleat, on every machine and for
/// any number of VPs.
///
/// ```cpp
/// pleat::random_shuffle(machine, keys, 42);
/// ```
///
/// Requires: values whose moves do not throw. Cost: each element is moved twice and swapped once;
/// two 0-supersteps. Memory, taken from the machine: n further values, and P·n/1024 bytes; none up
/// to 2^13 elements. Throws: std::bad_alloc. Not for cryptography. Source: Sanders, Random
/// Permutations on Distributed, External and Hierarchical Memory, 1998.
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>>
void random_shuffle(machine& on, R&& range, std::uint64_t seed, const range_options& options = {}) {
  detail::everyday::venue where(on);
  detail::everyday::random_shuffle(where, detail::everyday::changeable_begin_of(range),
                                   detail::everyday::size_of(range), seed, options);
}
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>>
void random_shuffle(R&& range, std::uint64_t seed, const range_options& options = {}) {
  detail::everyday::venue where;
  detail::everyday::random_shuffle(where, detail::everyday::changeable_begin_of(range),
                                   detail::everyday::size_of(range), seed, options);
}

}  // namespace pleat
