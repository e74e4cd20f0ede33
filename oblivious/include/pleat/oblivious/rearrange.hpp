// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/moves.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

/// Reverses the order of the elements; returns the end of the range.
///
/// ```cpp
/// pleat::reverse(machine, keys);
/// ```
///
/// Requires: elements that can be swapped. Cost: n/2 swaps; one 0-superstep.
/// Throws: what a swap throws (the elements are then in some order). The contract of all everyday
/// algorithms: range_options.hpp.
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> reverse(
    machine& on, R&& range, const range_options& options = {}) {
  return detail::everyday::reverse({on}, std::forward<R>(range), options);
}
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> reverse(
    R&& range, const range_options& options = {}) {
  return detail::everyday::reverse({}, std::forward<R>(range), options);
}

/// Moves the first `middle` elements behind all others, keeping the order of both parts; returns
/// the new position of the first element.
///
/// ```cpp
/// pleat::rotate(machine, keys, 3);                  // the fourth comes first
/// ```
///
/// Requires: elements that can be swapped. Cost: n swaps; two 0-supersteps.
/// Throws: usage_error if `middle` is beyond the end; what a swap throws (the elements are then in
/// some order).
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> rotate(
    machine& on, R&& range, std::size_t middle, const range_options& options = {}) {
  return detail::everyday::rotate({on}, std::forward<R>(range), middle, options);
}
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>> std::ranges::borrowed_iterator_t<R> rotate(
    R&& range, std::size_t middle, const range_options& options = {}) {
  return detail::everyday::rotate({}, std::forward<R>(range), middle, options);
}

/// Shuffles the elements; all orders have the same probability as far as 64 bits of seed allow. The
/// order is the same for the same seed, size and version of Pleat, on every machine and for any
/// number of VPs.
///
/// ```cpp
/// pleat::random_shuffle(machine, keys, 42);
/// ```
///
/// Requires: values whose moves do not throw. Cost: each element is moved twice and swapped once;
/// one 0-superstep. Memory, taken from the machine: n further values, and P·n/4096 bytes; none up
/// to 2^16 elements. Throws: std::bad_alloc. Not for cryptography. Source: Sanders, Random
/// Permutations on Distributed, External and Hierarchical Memory, 1998.
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>>
void random_shuffle(machine& on, R&& range, std::uint64_t seed, const range_options& options = {}) {
  detail::everyday::random_shuffle({on}, detail::everyday::changeable_begin_of(range),
                                   detail::everyday::size_of(range), seed, options);
}
template <divisible_range R>
requires std::permutable<std::ranges::iterator_t<R>>
void random_shuffle(R&& range, std::uint64_t seed, const range_options& options = {}) {
  detail::everyday::random_shuffle({}, detail::everyday::changeable_begin_of(range),
                                   detail::everyday::size_of(range), seed, options);
}

/// Reverses the order of the elements of all ranks.
///
/// ```cpp
/// pleat::reverse(machine, distributed_keys);
/// ```
///
/// Collective, see distributed. Cost, of each VP (P of them): n/P elements sent and received in one
/// superstep, in three pieces at most; two copies. Memory of each rank besides the block: as many
/// elements, and the sent and received elements. Throws: std::bad_alloc (the blocks are then
/// unchanged on all ranks); usage_error.
template <class T>
requires std::permutable<T*>
void reverse(machine& on, distributed<T>& data) {
  auto call = data.collective(on, "reverse");
  if (call.alone())
    call.own([&] { pleat::reverse(on, data.local()); });
  else
    detail::distribution::reverse_blocks(on, call, data);
}

/// Moves the first `middle` elements of all ranks behind all others, keeping the order of both
/// parts; returns the new index of the first element.
///
/// ```cpp
/// pleat::rotate(machine, distributed_keys, 3);      // the fourth comes first
/// ```
///
/// Collective; cost, memory and exceptions are those of reverse. Throws also usage_error if
/// `middle` is beyond the end, or differs between ranks.
template <class T>
requires std::permutable<T*> std::size_t rotate(machine& on, distributed<T>& data,
                                                std::size_t middle) {
  auto call = data.collective(on, "rotate");
  const std::size_t n = data.size();
  call.check([&] { detail::everyday::require_middle(n, middle); });
  if (call.alone())
    call.own([&] { pleat::rotate(on, data.local(), middle); });
  else
    detail::distribution::rotate_blocks(on, call, data, middle);
  return n - middle;
}

/// Shuffles the elements of all ranks, into the order of random_shuffle of one array. The order is
/// the same for the same seed, size and version of Pleat, for any number of ranks and workers.
///
/// ```cpp
/// pleat::random_shuffle(machine, distributed_keys, 42);
/// ```
///
/// Collective, see distributed. Cost, of each VP (P of them): about n/P elements sent and received
/// in each of two supersteps, with n/1024 bytes of counts; three copies. Memory of each rank
/// besides the block: twice its size, and the sent and received elements. Throws: as reverse;
/// usage_error if the ranks have different seeds. Not for cryptography. Source: as random_shuffle
/// of an array.
template <class T>
requires std::permutable<T*>
void random_shuffle(machine& on, distributed<T>& data, std::uint64_t seed) {
  auto call = data.collective(on, "random_shuffle");
  if (call.alone())
    call.own([&] { pleat::random_shuffle(on, data.local(), seed); });
  else
    detail::distribution::shuffle_blocks(on, call, data, seed);
}

}  // namespace pleat
