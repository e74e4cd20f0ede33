// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/elements.hpp>
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

  /// Tells whether there is a VP in the right half. (Not always, if v is no power of two.)
  [[nodiscard]] bool divided() const noexcept { return middle < all.last; }
  /// The last VP of the left half, and of both, if divided.
  [[nodiscard]] std::size_t left() const noexcept { return middle - 1; }
  [[nodiscard]] std::size_t last() const noexcept { return all.last - 1; }
};

/// Requires 0 ≤ label < log2 v rounded up.
inline halved_cluster halve(std::size_t v, std::size_t rank, unsigned label) noexcept {
  const rank_range all = cluster_of(v, rank, label);
  return {all, all.first + (std::size_t{1} << (label_count(v) - label - 1))};
}

}  // namespace detail

/// Prefix sums as a step of a program: every VP awaits it, and `value` of VP r becomes
/// x_0 ∘ x_1 ∘ … ∘ x_r of what the values were. `combine(a, b)` is a ∘ b, associative; it need not
/// commute: a always comes from lower ranks than b. Any number of VPs.
///
/// The last VP of every cluster acts for it. Up, from pairs to the whole machine, it learns the sum
/// of the left half from the last VP of that, and keeps it; down, it tells that VP the sum of all
/// ranks before the cluster, and adds what it kept to have the sum before the right half.
///
/// Requires: nothing left to receive.
/// Cost: 2·⌈log2 v⌉ − 1 supersteps, S^0 = 1 and S^i = 2, of degree 1 on any number of processors:
/// H(p, σ) = (1 + σ)·(2·log2 p − 1), twice the least for small σ. Half as many supersteps are
/// possible, if all VPs exchange sums with those at distance 1, 2, 4, …, but then a processor sends
/// v/p messages in each; and the method of Hillis and Steele, besides, takes all of them on the
/// whole machine. Not wise, for the degree does not grow on fewer processors. At most 3v combines;
/// log2 v values kept in a VP. Throws: what `combine` throws.
/// Source: Ladner, Fischer, Parallel Prefix Computation, 1980; Blelloch, Prefix Sums and Their
/// Applications, 1990 (sweeps up and down); who acts for a cluster, and any v, are ours.
template <detail::value_of_vp T, class Operator = std::plus<>>
task<> prefix(vp& me, T& value, Operator combine = {}) {
  const std::size_t v = me.size();
  const auto width = static_cast<unsigned>(std::bit_width(v - 1));
  std::vector<T> kept;  // of the clusters that I am the last of: the sums of their left halves
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
  std::optional<T> before;  // the sum of the ranks before my cluster; nothing before the first
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

/// Replaces the elements of a range by their prefix sums, on one virtual processor for each.
///
/// ```cpp
/// std::vector<long> x{3, 1, 4, 1};
/// pleat::prefix(machine, x);                             // 3 4 8 9
/// pleat::prefix(machine, x, [](long a, long b) { return std::max(a, b); });
/// ```
///
/// Requires: a contiguous range of values that may be copied as bytes; `combine` as above. It is
/// called by all VPs at once, and not copied.
/// Cost: as above, with v elements; as much memory again.
/// Throws: what `combine` throws, the values are then as they were; std::bad_alloc.
/// Thread safety: calls on one machine take turns.
template <detail::elements_of_vps R, class Operator = std::plus<>>
run_report prefix(machine& on, R&& values, const Operator& combine = {}) {
  using T = std::ranges::range_value_t<R>;
  const std::span<T> all(std::ranges::data(values), std::ranges::size(values));
  return detail::run_on_elements(
      on, all, [&combine](vp& me, T& value) { return prefix(me, value, std::cref(combine)); });
}

/// Runs on the default machine.
template <detail::elements_of_vps R, class Operator = std::plus<>>
run_report prefix(R&& values, const Operator& combine = {}) {
  const detail::call_machine on;
  return pleat::prefix(*on, values, combine);
}

}  // namespace pleat
