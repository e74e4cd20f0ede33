// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Computes in_0 ⊕ … ⊕ in_r, element by element, in rank r's `out`. In place: `out` is `in`. The
/// contract of all operations: collective_options.hpp.
///
/// The operator need not commute. The last rank gets what all_reduce gives.
///
/// Cost: in one process two barriers, 2⌈log2 p⌉ rounds, between which each rank combines 1/p of the
/// data for all ranks. Small data take one barrier, after which each rank combines the inputs up to
/// its own. Between P processes: ⌈log2(P − 1) + log2(4/3)⌉ rounds of an exclusive scan of the
/// processes' sums, whose messages carry one sum, as large as the data, for each block of ranks.
/// Throws: usage_error for sizes that do not fit; what the operator throws ends the run.
/// Source: ours; between processes Jesper Larsson Träff, 2025, arXiv:2507.04785 (123-doubling).
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> scan(vp& me, In&& in, Out&& out, Op op,
                                                     collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(me, detail::ordered::scan, detail::readable(in),
                                                detail::writable(out), std::move(op), options);
}

/// Scans one value a rank: `sum = co_await pleat::scan(me, x, std::plus<>{});`
template <detail::one_value T, reduction_operator<T> Op>
task<T> scan(vp& me, T value, Op op, collective_options options = {}) {
  task<> work = detail::combine_one(me, detail::ordered::scan, value, value, op, options);
  co_await work;
  co_return value;
}

/// Computes in_0 ⊕ … ⊕ in_{r−1} in rank r's `out`; the `out` of rank 0 does not change.
///
/// Cost: as scan.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> exclusive_scan(vp& me, In&& in, Out&& out, Op op,
                                                               collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(me, detail::ordered::exclusive_scan,
                                                detail::readable(in), detail::writable(out),
                                                std::move(op), options);
}

/// Scans one value a rank: init ⊕ x_0 ⊕ … ⊕ x_{r−1}, and init at rank 0. `first = co_await
/// pleat::exclusive_scan(me, count, 0, std::plus<>{});` returns where the elements of this rank
/// begin if the ranks store theirs one after the other. Ranges are passed as `in` and `out`.
template <detail::one_value T, reduction_operator<T> Op>
requires(!std::ranges::range<T>) task<T> exclusive_scan(vp& me, T value,
                                                        std::type_identity_t<T> init, Op op,
                                                        collective_options options = {}) {
  T before = value;
  task<> work =
      detail::combine_one(me, detail::ordered::exclusive_scan, value, before, op, options);
  co_await work;
  const bool first = me.rank() == options.within.value_or(me.all()).first;
  co_return first ? init : static_cast<T>(op(init, before));
}

}  // namespace pleat
