// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// in_0 ⊕ … ⊕ in_r, element by element, to rank r's `out`. In place: `out` is `in`.
/// What all operations have in common: collective_options.hpp.
///
/// The operator need not commute: it is applied in the order of the ranks.
///
/// Cost: 2⌈log2 p⌉ rounds, in which addresses of all go to all, and each rank combines 1/p of all
/// ranks' data for all of them. ⌈log2 p⌉ rounds for what is small: each combines all before it.
/// From 257 ranks on: through a tree, 2⌈log2 p⌉ rounds, and twice as many where ranks divide the
/// work; O(p) memory for all together beyond their data.
/// Throws: usage_error for sizes that do not fit; what the operator throws ends the run.
/// Source: ours.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> scan(vp& me, In&& in, Out&& out, Op op,
                                                     collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(&detail::run_scan, me, detail::readable(in),
                                                detail::writable(out), std::move(op), options,
                                                false);
}

/// in_0 ⊕ … ⊕ in_{r−1} to rank r's `out`; that of rank 0 stays as it is.
///
/// Cost: as scan.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> exclusive_scan(vp& me, In&& in, Out&& out, Op op,
                                                               collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(&detail::run_scan, me, detail::readable(in),
                                                detail::writable(out), std::move(op), options,
                                                true);
}

}  // namespace pleat
