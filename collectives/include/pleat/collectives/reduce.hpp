// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Computes in_0 ⊕ in_1 ⊕ … ⊕ in_{p−1}, element by element, in the root's `out`. The `out` of other
/// ranks is ignored. In place: `out` is `in`. The contract of all operations:
/// collective_options.hpp.
///
/// Cost: in one process two barriers, 2⌈log2 p⌉ rounds, between which each rank combines 1/p of the
/// result. Small data is combined by the root, after one barrier. If blocks are given and the
/// operator commutes, a reversed circulant broadcast of n − 1 + ⌈log2 p⌉ rounds; each rank combines
/// each block once.
/// Between P processes: n − 1 + ⌈log2 P⌉ rounds, with n from `cost` unless given. If the operator
/// does not commute, those of all_reduce, but after an exchange P − 1 at the root, not ⌈log2 P⌉.
/// Throws: usage_error for a root or sizes that do not fit; what the operator throws ends the run.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004 (reduction by the reversed schedule). The tree reduction is ours.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> reduce(vp& me, In&& in, Out&& out, Op op,
                                                       collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(me, detail::ordered::reduce, detail::readable(in),
                                                detail::writable(out), std::move(op), options);
}

/// Reduces one value a rank: the root gets the result, the others nullopt.
///
/// ```cpp
/// const std::optional<double> sum = co_await pleat::reduce(me, x, std::plus<>{});
/// ```
template <detail::one_value T, reduction_operator<T> Op>
task<std::optional<T>> reduce(vp& me, T value, Op op, collective_options options = {}) {
  task<> work = detail::combine_one(me, detail::ordered::reduce, value, value, op, options);
  co_await work;
  std::optional<T> result;
  if (me.rank() == options.within.value_or(me.all()).first + options.root) result = value;
  co_return result;
}

/// Reduces as above; all ranks get the result. Source: as reduce, and all_gather.
///
/// Cost: in one process two barriers, 2⌈log2 p⌉ rounds, between which each rank combines 1/p of the
/// result for all. Small data is combined by every rank, after one barrier. If blocks are given and
/// the operator commutes: reduce_scatter of equal parts and all_gather of them, 2(n − 1 + ⌈log2 p⌉)
/// rounds; each rank combines and copies 2(p − 1)/p of the size.
/// Between P processes: ⌈log2 P⌉ rounds if `cost` favours gathering P times the data on each, else
/// 2(n − 1 + ⌈log2 P⌉) with n = 1 unless given; 2(P − 1)/P of the data go in and out of each
/// process. If the operator does not commute, an exchange of slices, then ⌈log2 P⌉ rounds. The
/// exchange takes P − 1 rounds of 1/P of the data for each sum of a block, or, with a radix r that
/// `cost` chooses, (r − 1)⌈log_r P⌉ rounds of at most 1/r.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> all_reduce(vp& me, In&& in, Out&& out, Op op,
                                                           collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(me, detail::ordered::all_reduce,
                                                detail::readable(in), detail::writable(out),
                                                std::move(op), options);
}

/// Reduces one value a rank: `sum = co_await pleat::all_reduce(me, x, std::plus<>{});`
template <detail::one_value T, reduction_operator<T> Op>
task<T> all_reduce(vp& me, T value, Op op, collective_options options = {}) {
  task<> work = detail::combine_one(me, detail::ordered::all_reduce, value, value, op, options);
  co_await work;
  co_return value;
}

}  // namespace pleat
