// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

struct tree_broadcast_options {
  std::size_t root = 0;    ///< the VP whose value is sent, below v
  std::size_t degree = 2;  ///< κ of the tree, a power of two ≥ 2
};

/// Returns the best degree for a latency σ: the smallest power of two ≥ max(2, σ). A program that
/// uses this function is not network-oblivious.
/// Throws: usage_error unless 0 ≤ σ ≤ 2^63.
[[nodiscard]] inline std::size_t sigma_aware_degree(double sigma) {
  if (!(sigma >= 0 && sigma <= 0x1p63))
    throw usage_error("tree_broadcast: a latency of " + std::to_string(sigma) +
                      " makes no sense; give one from 0 to 2^63");
  return std::bit_ceil(static_cast<std::size_t>(std::ceil(std::max(2.0, sigma))));
}

namespace detail {

inline void check_tree_broadcast(std::size_t v, const tree_broadcast_options& options) {
  if (options.root >= v)
    throw usage_error("tree_broadcast: there is no VP " + std::to_string(options.root) +
                      " to be the root; there are " + std::to_string(v));
  if (options.degree < 2 || !std::has_single_bit(options.degree))
    throw usage_error("tree_broadcast: a tree of degree " + std::to_string(options.degree) +
                      " is none; give a power of two, 2 or more");
}

/// The first VP of a cluster that has the value: the root, if it is in the cluster, else the first
/// VP.
inline std::size_t broadcast_leader(const rank_range& cluster, std::size_t root) noexcept {
  return cluster.contains(root) ? root : cluster.first;
}

}  // namespace detail

/// Broadcast as a step of a program: every VP awaits it, and gets the root's `value`. The leader of
/// a cluster sends the value to the leaders of its κ sub-clusters, whose labels are greater by log2
/// κ. Any number of VPs and any root will do.
///
/// Requires: the same options in all VPs; no message is left to receive.
/// Cost: ⌈log_κ v⌉ supersteps with labels 0, log κ, 2·log κ, …; the degree is κ − 1 in each of
/// them, or less if v is no power of κ. H(p, σ) = (κ − 1 + σ)·log_κ p for p and v powers of κ. Not
/// wise for κ < v: the degree does not grow on fewer processors. The program shows the limit of
/// obliviousness: no fixed κ is near-optimal for every σ, and an oblivious program may not know σ.
/// Throws: usage_error for a root or degree that is not valid.
/// Source: Bilardi, Pietracaprina, Pucci, Scquizzato, Silvestri, Network-Oblivious Algorithms,
/// section 4.5; roots other than 0 and numbers of VPs that are no powers of two are ours.
template <detail::value_of_vp T>
task<> tree_broadcast(vp& me, T& value, tree_broadcast_options options = {}) {
  detail::check_tree_broadcast(me.size(), options);
  const auto width = static_cast<unsigned>(std::bit_width(me.size() - 1));
  const auto step = static_cast<unsigned>(std::countr_zero(options.degree));
  for (unsigned label = 0; label < width; label += step) {
    const rank_range cluster = cluster_of(me.size(), me.rank(), label);
    if (me.rank() == detail::broadcast_leader(cluster, options.root)) {
      const unsigned finer = std::min(width, label + step);
      for (std::size_t first = cluster.first; first < cluster.last;) {
        const rank_range part = cluster_of(me.size(), first, finer);
        const std::size_t leader = detail::broadcast_leader(part, options.root);
        if (leader != me.rank()) detail::send_value(me, leader, value);
        first = part.last;
      }
    }
    co_await me.sync(label);
    if (const auto received = me.receive()) value = received->template get<T>();
  }
}

/// Copies element `root` of a range to all others, by a tree on one virtual processor for each
/// element. It demonstrates the cost of broadcasts in the model; to fill memory use std::fill.
///
/// Requires: a contiguous range of values that may be copied as bytes.
/// Cost: as above, with v elements; as much memory again.
/// Throws: usage_error for a root or degree that is not valid, and for an empty range;
/// std::bad_alloc.
/// Thread safety: calls on one machine take turns.
template <detail::elements_of_vps R>
run_report tree_broadcast(machine& on, R&& values, const tree_broadcast_options& options = {}) {
  using T = std::ranges::range_value_t<R>;
  const std::span<T> all(std::ranges::data(values), std::ranges::size(values));
  detail::check_tree_broadcast(all.size(), options);
  return detail::run_on_elements(
      on, all, [&options](vp& me, T& value) { return pleat::tree_broadcast(me, value, options); });
}

/// Runs on the default machine.
template <detail::elements_of_vps R>
run_report tree_broadcast(R&& values, const tree_broadcast_options& options = {}) {
  return pleat::tree_broadcast(*detail::call_machine(), values, options);
}

}  // namespace pleat
