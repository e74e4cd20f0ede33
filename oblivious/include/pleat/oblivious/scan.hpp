// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/running.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <class R, class Projection>
using scanned_t = shown_value<std::ranges::iterator_t<R>, projection_type<Projection>>;

/// Requires that Op can scan the results of Projection for elements of R, as T's, and that T's can
/// be written to O.
template <class R, class O, class T, class Op, class Projection>
concept scans_to = divisible_range<R> && divisible_range<O> && std::copyable<T> &&
                   combines<Op, T> && std::constructible_from < T,
        std::indirect_result_t < projection_type<Projection>
&, std::ranges::iterator_t < R >>> &&std::indirectly_writable<std::ranges::iterator_t<O>, const T&>;

template <class T, divisible_range R, divisible_range O, class Op, class Projection>
std::ranges::borrowed_iterator_t<O> scan(const char* name, executor&& where, R& in, O&& out, Op& op,
                                         Projection& given, const range_options& options,
                                         bool exclusive, std::optional<T> init) {
  auto& projection = detail::projection_in<range_options>(given);
  using shows = projection_type<Projection>;
  const std::size_t n = everyday::size_of(in);
  everyday::require_places(name, n, everyday::size_of(out));
  const auto from = everyday::begin_of(in);
  const auto to = everyday::changeable_begin_of(out);
  const auto get = [from, &projection](std::size_t i) -> decltype(auto) {
    return everyday::projected(from, i, projection);
  };
  const results out_to(to, n, everyday::same_place(from, to));
  constexpr bool known = in_lanes<T, Op> && plain_numbers<std::ranges::iterator_t<R>, shows>;
  everyday::scan<T>(name, where, detail::options_in(given, options), n,
                    known ? pace::known : pace_of<std::ranges::range_value_t<R>, Op, shows>, op,
                    get, out_to, exclusive, std::move(init));
  return everyday::place(std::forward<O>(out), n);
}

}  // namespace detail::everyday

/// Sets out[i] = x_0 ∘ x_1 ∘ … ∘ x_i, where op(a, b) is a ∘ b, and x_i is projection(in[i]);
/// returns the end of the results.
///
/// ```cpp
/// pleat::inclusive_scan(machine, counts, ends);                 // sums
/// pleat::inclusive_scan(machine, counts, counts);               // in place
/// pleat::inclusive_scan(machine, counts, peaks, pleat::maximum());
/// ```
///
/// Requires: op is associative, except for rounding; it need not commute, as for reduce. The output
/// is at least as long as the input; it is the input, or shares no memory with it.
///
/// Guarantees: groups of elements, whose size depends on n alone, are combined; then each is
/// scanned, starting from the total of the groups before it. So the result is the same on every
/// machine and for any number of VPs. The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: at most 2n calls of op, 3n in floating point; the input is read from memory once, in
/// pieces of 256 KiB, which are scanned from the cache. For every 256 KiB of each VP there is one
/// 0-superstep, in which all VPs lend each other the totals of their groups, and one at the end.
/// Throws: what op and the projection throw; usage_error for an output that is too short. Source:
/// Blelloch, Prefix Sums and Their Applications, 1990 (reduce, then scan).
template <class R, class O, class Op = std::plus<>, class Projection = range_options>
requires detail::everyday::scans_to<R, O, detail::everyday::scanned_t<R, Projection>, Op,
                                    Projection>
    std::ranges::borrowed_iterator_t<O> inclusive_scan(machine& on, R&& in, O&& out, Op op = {},
                                                       Projection projection = {},
                                                       const range_options& options = {}) {
  return detail::everyday::scan<detail::everyday::scanned_t<R, Projection>>(
      "inclusive_scan", {on}, in, std::forward<O>(out), op, projection, options, false, {});
}
template <class R, class O, class Op = std::plus<>, class Projection = range_options>
requires detail::everyday::scans_to<R, O, detail::everyday::scanned_t<R, Projection>, Op,
                                    Projection>
    std::ranges::borrowed_iterator_t<O> inclusive_scan(R&& in, O&& out, Op op = {},
                                                       Projection projection = {},
                                                       const range_options& options = {}) {
  return detail::everyday::scan<detail::everyday::scanned_t<R, Projection>>(
      "inclusive_scan", {}, in, std::forward<O>(out), op, projection, options, false, {});
}

/// Sets out[i] = init ∘ x_0 ∘ … ∘ x_{i−1}, so out[0] = init. Sums have the type of init.
///
/// ```cpp
/// pleat::exclusive_scan(machine, counts, begins, 0L);
/// ```
///
/// All else is as for inclusive_scan.
template <class R, class O, class T, class Op = std::plus<>, class Projection = range_options>
requires detail::everyday::scans_to<R, O, T, Op, Projection> std::ranges::borrowed_iterator_t<O>
exclusive_scan(machine& on, R&& in, O&& out, T init, Op op = {}, Projection projection = {},
               const range_options& options = {}) {
  return detail::everyday::scan<T>("exclusive_scan", {on}, in, std::forward<O>(out), op, projection,
                                   options, true, std::move(init));
}
template <class R, class O, class T, class Op = std::plus<>, class Projection = range_options>
requires detail::everyday::scans_to<R, O, T, Op, Projection> std::ranges::borrowed_iterator_t<O>
exclusive_scan(R&& in, O&& out, T init, Op op = {}, Projection projection = {},
               const range_options& options = {}) {
  return detail::everyday::scan<T>("exclusive_scan", {}, in, std::forward<O>(out), op, projection,
                                   options, true, std::move(init));
}

namespace detail::distribution {

/// Requires that Op can scan E's as T's, and that results can be written to O's.
template <class Op, class T, class E, class O>
concept scans = everyday::combines<Op, T> && std::copyable<T> &&
    std::constructible_from<T, const E&> && std::assignable_from<O&, const T&>;

}  // namespace detail::distribution

/// Sets element i of `out` to x_0 ∘ x_1 ∘ … ∘ x_i, where op(a, b) is a ∘ b, and x_i is element i of
/// `in`. `in` and `out` may be the same.
///
/// ```cpp
/// pleat::inclusive_scan(machine, distributed_counts, distributed_ends);           // sums
/// pleat::inclusive_scan(machine, distributed_levels, distributed_levels, pleat::maximum());
/// ```
///
/// Requires: op is associative, except for rounding; it need not commute. `out` has as many
/// elements as `in`.
///
/// Guarantees: the results are those of inclusive_scan of one array of these elements, bit for bit.
/// The association depends on n and the type alone, not on ranks or workers.
///
/// Collective, see distributed. Cost, on R ranks of P workers in all: as the scan of n/R elements
/// of an array; four 0-supersteps, in which each rank sends fewer than 2048 elements to a rank
/// before it and gets as many results back, and each VP gets n/2048 sums from all others. If any
/// association is exact, as for sums of integers, two 0-supersteps with P sums are enough. Throws:
/// what op throws on any rank (the output is then unspecified); usage_error (an output of another
/// length; see distributed); std::bad_alloc.
///
/// Source: Blelloch, Prefix Sums and Their Applications, 1990 (reduce, then scan).
template <class E, class O, class Op = std::plus<>>
requires detail::distribution::scans<Op, E, E, O>
void inclusive_scan(machine& on, const distributed<E>& in, distributed<O>& out, Op op = {}) {
  auto call = in.collective(on, "inclusive_scan", sizeof(O));
  call.check([&] { detail::distribution::require_output(on, "inclusive_scan", in, out); });
  if (call.alone())
    call.own([&] { pleat::inclusive_scan(on, in.local(), out.local(), std::move(op)); });
  else
    detail::distribution::scan_blocks<E>(call, in, out, op, false, std::nullopt);
}

/// Sets element i of `out` to init ∘ x_0 ∘ … ∘ x_{i−1}, so element 0 is init. Sums have the type of
/// init.
///
/// ```cpp
/// pleat::exclusive_scan(machine, distributed_counts, distributed_begins, 0L);
/// ```
///
/// Requires: init the same on all ranks. All else is as for inclusive_scan.
template <class E, class O, class T, class Op = std::plus<>>
requires detail::distribution::scans<Op, T, E, O>
void exclusive_scan(machine& on, const distributed<E>& in, distributed<O>& out, T init,
                    Op op = {}) {
  auto call = in.collective(on, "exclusive_scan", sizeof(O));
  call.check([&] { detail::distribution::require_output(on, "exclusive_scan", in, out); });
  if (call.alone())
    call.own([&] {
      pleat::exclusive_scan(on, in.local(), out.local(), std::move(init), std::move(op));
    });
  else
    detail::distribution::scan_blocks<T>(call, in, out, op, true, std::optional<T>(init));
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::inclusive_scan(std::forward<A>(a)...); }) detail::no_result
    inclusive_scan(A&&...) {
  static_assert(detail::never<A...>,
                "pleat::inclusive_scan: give a divisible_range of elements, one of places for the "
                "results, then an operator whose results can be assigned to both, projection, "
                "range_options");
  return {};
}
template <class... A>
requires(!requires(A && ... a) { pleat::exclusive_scan(std::forward<A>(a)...); }) detail::no_result
    exclusive_scan(A&&...) {
  static_assert(
      detail::never<A...>,
      "pleat::exclusive_scan: give a divisible_range of elements, one of places for the "
      "results, an initial value, then an operator whose results can be assigned to both, "
      "projection, range_options");
  return {};
}

}  // namespace pleat
