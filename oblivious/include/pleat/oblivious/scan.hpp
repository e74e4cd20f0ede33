// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/results.hpp>
#include <pleat/oblivious/detail/everyday/running.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <class R, class Projection>
using scanned_t =
    std::remove_cvref_t<std::indirect_result_t<Projection&, std::ranges::iterator_t<R>>>;

/// Can Op scan what Projection shows of R as T's, and can these be written to O?
template <class R, class O, class T, class Op, class Projection>
concept scans_to =
    divisible_range<R> && divisible_range<O> && std::copyable<T> && std::invocable<Op&, T, T> &&
    std::constructible_from<T, std::invoke_result_t<Op&, T, T>> &&
    std::constructible_from<T, std::indirect_result_t<Projection&, std::ranges::iterator_t<R>>> &&
    std::indirectly_writable < std::ranges::iterator_t<O>,
const T& > ;

template <class T, divisible_range R, divisible_range O, class Op, class Projection>
std::ranges::borrowed_iterator_t<O> scan(const char* name, venue& where, R& in, O&& out, Op& op,
                                         Projection& projection, const range_options& options,
                                         bool exclusive, std::optional<T> init) {
  const std::size_t n = size_of(in);
  require_places(name, n, size_of(out));
  const auto from = begin_of(in);
  const auto to = changeable_begin_of(out);
  const auto get = [from, &projection](std::size_t i) -> decltype(auto) {
    return shown(from, i, projection);
  };
  const results out_to(to, n, same_place(from, to));
  scan<T>(name, where, options, n, op, get, out_to, exclusive, std::move(init));
  return place(std::forward<O>(out), n);
}

}  // namespace detail::everyday

/// out[i] = x_0 ∘ x_1 ∘ … ∘ x_i, where op(a, b) is a ∘ b, and x_i is projection(in[i]); returns the
/// end of what was written.
///
/// ```cpp
/// pleat::inclusive_scan(machine, counts, ends);                 // sums
/// pleat::inclusive_scan(machine, counts, counts);               // in place
/// pleat::inclusive_scan(machine, counts, peaks, pleat::maximum());
/// ```
///
/// Requires: op associative, but for rounding; it need not commute, as for reduce. An output at
/// least as long as the input; it is the input, or shares no memory with it.
///
/// Guarantees: groups of elements, whose size depends on n alone, are combined, then scanned, each
/// with what stands before it. So the result is the same on every machine and for any number of
/// VPs. What all everyday algorithms have in common: range_options.hpp.
///
/// Cost: at most 2n calls of op, 3n in floating point; the input is read from memory once, in
/// pieces of 256 KiB, which are scanned from the cache. A 0-superstep for every 256 KiB of each VP,
/// in which all VPs lend each other the totals of their groups. Throws: what op and the projection
/// throw; usage_error for an output that is too short. Source: Blelloch, Prefix Sums and Their
/// Applications, 1990 (reduce, then scan).
template <class R, class O, class Op = std::plus<>, class Projection = std::identity>
requires detail::everyday::scans_to<R, O, detail::everyday::scanned_t<R, Projection>, Op,
                                    Projection>
    std::ranges::borrowed_iterator_t<O> inclusive_scan(machine& on, R&& in, O&& out, Op op,
                                                       Projection projection,
                                                       const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::scan<detail::everyday::scanned_t<R, Projection>>(
      "inclusive_scan", where, in, std::forward<O>(out), op, projection, options, false, {});
}
template <class R, class O, class Op = std::plus<>>
requires detail::everyday::scans_to<R, O, std::ranges::range_value_t<R>, Op, std::identity>
    std::ranges::borrowed_iterator_t<O> inclusive_scan(machine& on, R&& in, O&& out, Op op = {},
                                                       const range_options& options = {}) {
  return pleat::inclusive_scan(on, in, std::forward<O>(out), std::move(op), std::identity(),
                               options);
}
template <class R, class O, class Op = std::plus<>, class Projection = std::identity>
requires detail::everyday::scans_to<R, O, detail::everyday::scanned_t<R, Projection>, Op,
                                    Projection>
    std::ranges::borrowed_iterator_t<O> inclusive_scan(R&& in, O&& out, Op op,
                                                       Projection projection,
                                                       const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::scan<detail::everyday::scanned_t<R, Projection>>(
      "inclusive_scan", where, in, std::forward<O>(out), op, projection, options, false, {});
}
template <class R, class O, class Op = std::plus<>>
requires detail::everyday::scans_to<R, O, std::ranges::range_value_t<R>, Op, std::identity>
    std::ranges::borrowed_iterator_t<O> inclusive_scan(R&& in, O&& out, Op op = {},
                                                       const range_options& options = {}) {
  return pleat::inclusive_scan(in, std::forward<O>(out), std::move(op), std::identity(), options);
}

/// out[i] = init ∘ x_0 ∘ … ∘ x_{i−1}, so out[0] = init. Sums are of init's type.
///
/// ```cpp
/// pleat::exclusive_scan(machine, counts, begins, 0L);
/// ```
///
/// Else as inclusive_scan.
template <class R, class O, class T, class Op = std::plus<>, class Projection = std::identity>
requires detail::everyday::scans_to<R, O, T, Op, Projection> std::ranges::borrowed_iterator_t<O>
exclusive_scan(machine& on, R&& in, O&& out, T init, Op op, Projection projection,
               const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::scan<T>("exclusive_scan", where, in, std::forward<O>(out), op,
                                   projection, options, true, std::move(init));
}
template <class R, class O, class T, class Op = std::plus<>>
requires detail::everyday::scans_to<R, O, T, Op, std::identity> std::ranges::borrowed_iterator_t<O>
exclusive_scan(machine& on, R&& in, O&& out, T init, Op op = {},
               const range_options& options = {}) {
  return pleat::exclusive_scan(on, in, std::forward<O>(out), std::move(init), std::move(op),
                               std::identity(), options);
}
template <class R, class O, class T, class Op = std::plus<>, class Projection = std::identity>
requires detail::everyday::scans_to<R, O, T, Op, Projection> std::ranges::borrowed_iterator_t<O>
exclusive_scan(R&& in, O&& out, T init, Op op, Projection projection,
               const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::scan<T>("exclusive_scan", where, in, std::forward<O>(out), op,
                                   projection, options, true, std::move(init));
}
template <class R, class O, class T, class Op = std::plus<>>
requires detail::everyday::scans_to<R, O, T, Op, std::identity> std::ranges::borrowed_iterator_t<O>
exclusive_scan(R&& in, O&& out, T init, Op op = {}, const range_options& options = {}) {
  return pleat::exclusive_scan(in, std::forward<O>(out), std::move(init), std::move(op),
                               std::identity(), options);
}

}  // namespace pleat
