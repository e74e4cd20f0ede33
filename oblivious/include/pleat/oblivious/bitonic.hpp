// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <ranges>
#include <span>
#include <string>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/oblivious/detail/program/key_messages.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail {

inline void check_bitonic(std::size_t v) {
  if (!std::has_single_bit(v))
    throw usage_error("bitonic_sort: " + std::to_string(v) +
                      " keys are no power of two; pad them, or use pleat::sort, which takes any "
                      "number");
}

}  // namespace detail

/// Bitonic sort as a step of a program: every VP awaits it and brings one key; afterwards VP r of v
/// has the r-th least key. An exchange over a distance of v/2^(i+1) has label i, so its barrier
/// spans the smallest cluster that contains both partners.
///
/// Requires: v is a power of two; `less` is a strict weak order; no message is left to receive. If
/// `less` is not such an order but gives the same answer each time, the keys are still a
/// permutation of those before. If its answers vary, keys may be lost or doubled, because both
/// partners of an exchange call it.
/// Cost: log v·(log v + 1)/2 supersteps, S^i = i + 1, in which every VP sends one message and gets
/// one: F^i(p) = (i + 1)·v/p. H(p, σ) = (v/p + σ)·log p·(log p + 1)/2, (1, v)-wise. The lower bound
/// for sorting is Ω((v/p)·log v/log(v/p) + σ): the network is close to it for p near v, and a
/// factor of log² p above it for few processors.
/// Throws: usage_error if v is no power of two; what `less` throws.
/// Source: Batcher, Sorting Networks and Their Applications, 1968, with all sequences ascending.
template <detail::value_of_vp T, class Compare = std::ranges::less>
task<> bitonic_sort(vp& me, T& key, Compare less = {}) {
  detail::check_bitonic(me.size());
  const auto before = [&less](const T& a, const T& b) {
    return static_cast<bool>(std::invoke(less, a, b));
  };
  const segment all = me.all();
  co_await detail::bitonic_network<detail::deciding::both>(me, all, std::span<T>(&key, 1), before);
}

/// Sorts a range by Batcher's bitonic network, on one virtual processor for each key. Use it to
/// count supersteps and to compare; pleat::sort is faster.
///
/// Requires: a contiguous range of values that may be copied as bytes, a power of two of them (or
/// none); `less` a strict weak order, see above. All VPs call `less` concurrently; it is not
/// copied.
/// Guarantees: the range is sorted; equal keys may change places. Cost: as above, with v keys; as
/// much memory again. Throws: usage_error if v is no power of two; what `less` throws (the keys
/// then do not change); std::bad_alloc. Thread safety: calls on one machine take turns.
template <detail::elements_of_vps R, class Compare = std::ranges::less>
run_report bitonic_sort(machine& on, R&& keys, const Compare& less = {}) {
  using T = std::ranges::range_value_t<R>;
  const std::span<T> all(std::ranges::data(keys), std::ranges::size(keys));
  if (!all.empty()) detail::check_bitonic(all.size());
  return detail::run_on_elements(
      on, all, [&less](vp& me, T& key) { return pleat::bitonic_sort(me, key, std::cref(less)); });
}

/// Runs on the default machine.
template <detail::elements_of_vps R, class Compare = std::ranges::less>
run_report bitonic_sort(R&& keys, const Compare& less = {}) {
  return pleat::bitonic_sort(*detail::call_machine(), keys, less);
}

}  // namespace pleat
