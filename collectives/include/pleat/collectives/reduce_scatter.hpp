// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <pleat/collectives/commutes.hpp>
#include <pleat/collectives/detail/operations.hpp>

namespace pleat {

/// Computes in_0 ⊕ in_1 ⊕ … ⊕ in_{p−1}, element by element; rank r's `out` gets part r. All parts
/// have the same size. In place: `out` is the rank's own part of `in`. The contract of all
/// operations: collective_options.hpp.
///
/// Cost: in one process two barriers, 2⌈log2 p⌉ rounds, between which each rank combines 1/p of the
/// result; for small data one barrier, after which every rank combines its part. If blocks are
/// given and the operator commutes, it performs the reversed broadcasts of all ranks in n − 1 +
/// ⌈log2 p⌉ rounds, and each rank combines (p − 1)/p of the size of `in`.
/// Between P processes: n − 1 + ⌈log2 P⌉ rounds, where n is 1 if not given and the parts of the
/// processes are equal. If the operator does not commute, a gathering or an exchange of slices, as
/// in all_reduce, without the rounds after the exchange.
/// Throws: usage_error for sizes that do not fit; what the operator throws ends the run.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024,
/// doi:10.48550/arXiv.2407.18004 (all-reduction by the reversed schedule); else ours.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> reduce_scatter(vp& me, In&& in, Out&& out, Op op,
                                                               collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(me, detail::ordered::reduce_scatter,
                                                detail::readable(in), detail::writable(out),
                                                std::move(op), options);
}

/// Reduces as above, with counts[r] elements of the result, possibly 0, for rank r. All ranks pass
/// the same counts.
///
/// Cost: as reduce_scatter; irregular counts cost no more than regular ones of the same sum.
template <detail::elements_to_read In, detail::elements_to_write Out, class Op>
requires detail::combinable<In, Out, Op> task<> reduce_scatter_v(
    vp& me, In&& in, Out&& out, std::span<const std::size_t> counts, Op op,
    collective_options options = {}) {
  return detail::combine<detail::element_t<In>>(me, detail::ordered::reduce_scatter,
                                                detail::readable(in), detail::writable(out),
                                                std::move(op), options, counts);
}

}  // namespace pleat
