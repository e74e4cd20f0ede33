// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ranges>

#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Broadcasts the root's `data`: `co_await pleat::broadcast(me, std::span(x), {.root = 3});` The
/// contract of all operations: collective_options.hpp.
///
/// Cost: in one process two barriers, 2⌈log2 p⌉ rounds, between which each rank copies from the
/// root; from 64 KiB on, each copies 1/p of the data to all. For small data one barrier is enough.
/// If blocks are given, n − 1 + ⌈log2 p⌉ rounds along a circulant graph, which is the minimum for
/// any p and n; each rank copies each block once. Between P processes: n − 1 + ⌈log2 P⌉ rounds; n,
/// if not given, is chosen for collective_options::cost. Throws: usage_error for an invalid root or
/// segment, and if ranks pass different sizes.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004, Algorithm 1.
template <detail::elements_to_write Data>
task<> broadcast(vp& me, Data&& data, collective_options options = {}) {
  return detail::run_broadcast(me, detail::writable(data), options);
}

/// Broadcasts the root's value: `x = co_await pleat::broadcast(me, x);` Values of other ranks are
/// ignored. Pass a range, such as a std::array, as memory, as above.
template <detail::one_value T>
requires(!std::ranges::range<T>) task<T> broadcast(vp& me, T value,
                                                   collective_options options = {}) {
  task<> work = detail::run_broadcast(me, detail::memory_of_one(value), options);
  co_await work;
  co_return value;
}

}  // namespace pleat
