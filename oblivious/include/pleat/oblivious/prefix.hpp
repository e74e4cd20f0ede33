// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/detail/call_machine.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat {

namespace detail {

/// A cluster and the rank at which its right half begins.
struct halved_cluster {
  rank_range all;
  std::size_t middle;

  /// Tells whether the right half has a VP; it may have none if v is no power of two.
  [[nodiscard]] bool divided() const noexcept { return middle < all.last; }
  /// The last VP of the left half, and of the whole cluster. Requires for `left`: divided().
  [[nodiscard]] std::size_t left() const noexcept { return middle - 1; }
  [[nodiscard]] std::size_t last() const noexcept { return all.last - 1; }
};

/// Returns the cluster of a VP for a label. Requires: 0 ≤ label < ⌈log2 v⌉.
inline halved_cluster halve(std::size_t v, std::size_t rank, unsigned label) noexcept {
  const rank_range all = cluster_of(v, rank, label);
  return {all, all.first + (std::size_t{1} << (label_count(v) - label - 1))};
}

}  // namespace detail

/// Prefix sums as a step of a program: every VP awaits it, and `value` of VP r becomes x_0 ∘ x_1 ∘
/// … ∘ x_r, where x_i is the previous value of VP i. `combine(a, b)` is a ∘ b. It is associative
/// and need not commute: a always comes from lower ranks than b. Any number of VPs will do.
///
/// The last VP of every cluster represents it. In the sweep up, from pairs to the whole machine, it
/// receives the sum of the left half from the last VP of that half, and keeps it. In the sweep down
/// it sends that VP the sum of all ranks before the cluster, and adds the sum that it kept to get
/// the sum before the right half.
///
/// Requires: no message is left to receive.
/// Cost: 2·⌈log2 v⌉ − 1 supersteps, S^0 = 1 and S^i = 2, of degree 1 on any number of processors:
/// H(p, σ) = (1 + σ)·(2·log2 p − 1), twice the minimum for small σ. If all VPs exchanged sums with
/// the VPs at distance 1, 2, 4, …, half as many supersteps would do, but a processor would send v/p
/// messages in each; in the method of Hillis and Steele, moreover, all supersteps have label 0. The
/// program is not wise, because the degree does not grow on fewer processors. At most 3v combines;
/// log2 v values are kept in a VP. Throws: what `combine` throws.
/// Source: Ladner, Fischer, Parallel Prefix Computation, 1980; Blelloch, Prefix Sums and Their
/// Applications, 1990 (sweeps up and down). The choice of the last VP of a cluster, and values of v
/// that are no powers of two, are ours.
template <detail::value_of_vp T, class Operator = std::plus<>>
task<> prefix(vp& me, T& value, Operator combine = {}) {
  const std::size_t v = me.size();
  const auto width = static_cast<unsigned>(std::bit_width(v - 1));
  std::vector<T> kept;  // sums of the left halves of the clusters whose last VP I am
  T sum = value;
  for (unsigned label = width; label-- > 0;) {
    const detail::halved_cluster cluster = detail::halve(v, me.rank(), label);
    if (cluster.divided() && me.rank() == cluster.left())
      detail::send_value(me, cluster.last(), sum);
    co_await me.sync(label);
    if (cluster.divided() && me.rank() == cluster.last()) {
      kept.push_back(me.receive()->template get<T>());
      sum = std::invoke(combine, kept.back(), sum);
    }
  }
  std::optional<T> before;  // the sum of the ranks before my cluster; empty if there are none
  for (unsigned label = 0; label < width; ++label) {
    const detail::halved_cluster cluster = detail::halve(v, me.rank(), label);
    if (cluster.divided() && me.rank() == cluster.last()) {
      if (before) detail::send_value(me, cluster.left(), *before);
      before = before ? T(std::invoke(combine, *before, kept.back())) : kept.back();
      kept.pop_back();
    }
    if (label == 0) continue;  // nothing comes before the whole machine
    co_await me.sync(label);
    if (cluster.divided() && me.rank() == cluster.left() && cluster.all.first != 0)
      before = me.receive()->template get<T>();
  }
  if (before) value = std::invoke(combine, *before, value);
}

/// Replaces the elements of a range by their prefix sums, on one virtual processor for each
/// element.
///
/// ```cpp
/// std::vector<long> x{3, 1, 4, 1};
/// pleat::prefix(machine, x);                             // 3 4 8 9
/// pleat::prefix(machine, x, [](long a, long b) { return std::max(a, b); });
/// ```
///
/// Requires: a contiguous range of values that may be copied as bytes; `combine` as above. All VPs
/// call `combine` concurrently; it is not copied.
/// Cost: as above, with v elements; as much memory again.
/// Throws: what `combine` throws (the values are then unchanged); std::bad_alloc.
/// Thread safety: calls on one machine take turns.
template <detail::elements_of_vps R, class Operator = std::plus<>>
run_report prefix(machine& on, R&& values, const Operator& combine = {}) {
  using T = std::ranges::range_value_t<R>;
  const std::span<T> all(std::ranges::data(values), std::ranges::size(values));
  return detail::run_on_elements(on, all, [&combine](vp& me, T& value) {
    return pleat::prefix(me, value, std::cref(combine));
  });
}

/// Runs on the default machine.
template <detail::elements_of_vps R, class Operator = std::plus<>>
run_report prefix(R&& values, const Operator& combine = {}) {
  return pleat::prefix(*detail::call_machine(), values, combine);
}

}  // namespace pleat
