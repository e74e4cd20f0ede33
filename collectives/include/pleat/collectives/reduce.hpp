// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// in_0 ⊕ in_1 ⊕ … ⊕ in_{p−1}, element by element, to the root's `out`. Others' `out` is not looked
/// at. In place: `out` is `in`.
/// What all operations have in common: collective_options.hpp.
///
/// Cost: a circulant broadcast reversed, n − 1 + ⌈log2 p⌉ rounds; each block is combined once a
/// rank. Of two ranks each combines a half of what is large. In order, or of much between more than
/// two (blocks not given): 2⌈log2 p⌉ rounds, in which addresses of all go to all, and each rank
/// combines 1/p of the result.
/// Throws: usage_error for a root or sizes that do not fit; what the operator throws ends the run.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004 (reduction by the reversed schedule). The
/// algorithm in the order of the ranks is ours.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> reduce(vp& me, In&& in, Out&& out, Op op,
                                                       collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(&detail::run_reduce, me, detail::readable(in),
                                                detail::writable(out), std::move(op), options);
}

/// Reduces one value a rank: the root gets the result, the others nullopt.
///
/// ```cpp
/// const std::optional<double> sum = co_await pleat::reduce(me, x, std::plus<>{});
/// ```
template <detail::one_value T, reduction_operator<T> Op>
task<std::optional<T>> reduce(vp& me, T value, Op op, collective_options options = {}) {
  task<> work =
      detail::run_reduce(me, detail::constant_memory_of_one(value), detail::memory_of_one(value),
                         detail::reduction_by<T>(op, options), options);
  co_await work;
  std::optional<T> result;
  if (me.rank() == options.within.value_or(me.all()).first + options.root) result = value;
  co_return result;
}

/// Reduces as above, the result to all ranks. Source: as reduce, and all_gather.
///
/// Cost: in order, 2⌈log2 p⌉ rounds, each rank combining 1/p of the result for all. What is small
/// is gathered by all, and combined by each: ⌈log2 p⌉ rounds. Of two ranks, or with blocks given:
/// reduce_scatter of equal parts and all_gather of them, 2(n − 1 + ⌈log2 p⌉) rounds; each rank
/// combines and copies 2(p − 1)/p of the size.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> all_reduce(vp& me, In&& in, Out&& out, Op op,
                                                           collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(&detail::run_all_reduce, me, detail::readable(in),
                                                detail::writable(out), std::move(op), options);
}

/// Reduces one value a rank: `sum = co_await pleat::all_reduce(me, x, std::plus<>{});`
template <detail::one_value T, reduction_operator<T> Op>
task<T> all_reduce(vp& me, T value, Op op, collective_options options = {}) {
  task<> work = detail::run_all_reduce(me, detail::constant_memory_of_one(value),
                                       detail::memory_of_one(value),
                                       detail::reduction_by<T>(op, options), options);
  co_await work;
  co_return value;
}

}  // namespace pleat
