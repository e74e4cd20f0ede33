// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/outputs.hpp>
#include <pleat/oblivious/detail/distributed/scan_program.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::distribution {

/// Can Op scan E's as T's, and are results written to O's?
template <class Op, class T, class E, class O>
concept scans = everyday::combines<Op, T> && std::copyable<T> &&
    std::constructible_from<T, const E&> && std::assignable_from<O&, const T&>;

/// A scan on several ranks.
template <class T, class E, class O, class Op>
void scan_blocks(collective_call& call, const distributed<E>& in, distributed<O>& out, Op& op,
                 bool exclusive, std::optional<T> init) {
  if constexpr (byte_copyable<E> && byte_copyable<O> && byte_copyable<T>) {
    scan_program<E, O, T, Op> program(in.size(), in.rank(), in.local(), out.local(), op, exclusive,
                                      init);
    call.run(program);
  }  // else there are no such data on several ranks
}

}  // namespace detail::distribution

/// Element i of `out` becomes x_0 ∘ x_1 ∘ … ∘ x_i, where op(a, b) is a ∘ b, and x_i is element i of
/// `in`. They may be the same.
///
/// ```cpp
/// pleat::inclusive_scan(machine, distributed_counts, distributed_ends);           // sums
/// pleat::inclusive_scan(machine, distributed_levels, distributed_levels, pleat::maximum());
/// ```
///
/// Requires: op associative, but for rounding; it need not commute. As many elements in `out` as in
/// `in`.
///
/// Guarantees: the results of inclusive_scan of one array of these elements, bit for bit: the
/// association depends on n and the type alone, not on ranks or workers.
///
/// Collective, see distributed. Cost, on R ranks of P workers in all: as the scan of n/R elements
/// of an array; five 0-supersteps, in which each rank sends less than 2048 elements to one before
/// it and gets as many results back, and all VPs together send VP 0 n/2048 sums, or P where any
/// association is exact, as for sums of integers. Throws: what op throws on any rank, the output is
/// then unspecified; usage_error (an output of another length; see distributed); std::bad_alloc.
///
/// Source: Blelloch, Prefix Sums and Their Applications, 1990 (reduce, then scan).
template <class E, class O, class Op = std::plus<>>
requires detail::distribution::scans<Op, E, E, O>
void inclusive_scan(machine& on, const distributed<E>& in, distributed<O>& out, Op op = {}) {
  detail::distribution::collective_call call = in.collective(on, "inclusive_scan", sizeof(O));
  call.check([&] { detail::distribution::require_output(on, "inclusive_scan", in, out); });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::inclusive_scan(on, in.local(), out.local(), std::move(op));
  } else {
    detail::distribution::scan_blocks<E>(call, in, out, op, false, std::nullopt);
  }
}

/// Element i of `out` becomes init ∘ x_0 ∘ … ∘ x_{i−1}, so that of index 0 becomes init. Sums are
/// of init's type.
///
/// ```cpp
/// pleat::exclusive_scan(machine, distributed_counts, distributed_begins, 0L);
/// ```
///
/// Requires: init the same on all ranks. Else as inclusive_scan.
template <class E, class O, class T, class Op = std::plus<>>
requires detail::distribution::scans<Op, T, E, O>
void exclusive_scan(machine& on, const distributed<E>& in, distributed<O>& out, T init,
                    Op op = {}) {
  detail::distribution::collective_call call = in.collective(on, "exclusive_scan", sizeof(O));
  call.check([&] { detail::distribution::require_output(on, "exclusive_scan", in, out); });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::exclusive_scan(on, in.local(), out.local(), std::move(init), std::move(op));
  } else {
    detail::distribution::scan_blocks<T>(call, in, out, op, true, std::optional<T>(init));
  }
}

}  // namespace pleat
