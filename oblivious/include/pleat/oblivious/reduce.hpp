// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/total.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// An associative operator on T.
template <class Op, class T>
concept combines = std::movable<T> && std::invocable<Op&, T, T> &&
    std::constructible_from<T, std::invoke_result_t<Op&, T, T>>;

/// Does F show what a range holds as something that becomes a T?
template <class F, class R, class T>
concept shows_as = std::indirectly_unary_invocable<F, std::ranges::iterator_t<R>> &&
    std::constructible_from<T, std::indirect_result_t<F&, std::ranges::iterator_t<R>>>;
template <class F, class A, class B, class T>
concept shows_both_as = std::regular_invocable<F&, std::ranges::range_reference_t<A>,
                                               std::ranges::range_reference_t<B>> &&
    std::constructible_from<T, std::invoke_result_t<F&, std::ranges::range_reference_t<A>,
                                                    std::ranges::range_reference_t<B>>>;

template <divisible_range R, class T, class Op, class F>
T reduce(const char* name, venue& where, R& range, T init, Op& op, F& f,
         const range_options& options) {
  constexpr bool cheap = in_lanes<T, Op> && std::is_same_v<F, std::identity>;
  const auto first = begin_of(range);
  return total(name, where, options, size_of(range), cheap, std::move(init), op,
               [&f, first](std::size_t i) -> decltype(auto) { return shown(first, i, f); });
}

template <divisible_range A, divisible_range B, class T, class Op, class F>
T reduce_both(venue& where, A& a, B& b, T init, Op& op, F& f, const range_options& options) {
  constexpr bool cheap = in_lanes<T, Op> && std::is_same_v<F, std::multiplies<>>;
  const auto first = begin_of(a);
  const auto second = begin_of(b);
  return total("transform_reduce", where, options, std::min(size_of(a), size_of(b)), cheap,
               std::move(init), op, [&f, first, second](std::size_t i) -> decltype(auto) {
                 return std::invoke(f, at(first, i), at(second, i));
               });
}

}  // namespace detail::everyday

/// init ∘ x_0 ∘ x_1 ∘ … ∘ x_{n−1}, where op(a, b) is a ∘ b, and x_i is projection(range[i]) as a T.
///
/// ```cpp
/// const double sum = pleat::reduce(machine, samples, 0.0);                 // by std::plus
/// const double peak = pleat::reduce(machine, samples, 0.0, pleat::maximum());
/// const auto letters = pleat::reduce(people, std::size_t{0}, {}, [](const person& p) {
///   return p.name.size();
/// });
/// ```
///
/// Requires: op associative, but for rounding. It need not commute: operands keep their order,
/// except where commutes<Op, T> says that it does not matter. T can be moved, and is no integer
/// where elements are floating-point numbers, whose fractions it would cut off: that does not
/// compile.
///
/// Guarantees: the association is that of a binary tree whose shape depends on n and T alone. The
/// same on every machine and for any number of VPs; rounding errors of floating-point sums grow
/// as log n. What all everyday algorithms have in common: range_options.hpp.
///
/// Cost: n − 1 calls of op beside init's, of each VP n/P; one 0-superstep, in which each VP lends
/// O(log n) values to VP 0. Throws: what op and the projection throw.
template <divisible_range R, std::movable T, class Op = std::plus<>,
          class Projection = std::identity>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<Projection, R, T>)
    [[nodiscard]] T reduce(machine& on, R&& range, T init, Op op, Projection projection,
                           const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::reduce("reduce", where, range, std::move(init), op, projection, options);
}
template <divisible_range R, std::movable T, class Op = std::plus<>>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<std::identity, R, T>)
    [[nodiscard]] T
    reduce(machine& on, R&& range, T init, Op op = {}, const range_options& options = {}) {
  detail::everyday::venue where(on);
  std::identity projection;
  return detail::everyday::reduce("reduce", where, range, std::move(init), op, projection, options);
}
template <divisible_range R, std::movable T, class Op = std::plus<>,
          class Projection = std::identity>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<Projection, R, T>)
    [[nodiscard]] T
    reduce(R&& range, T init, Op op, Projection projection, const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::reduce("reduce", where, range, std::move(init), op, projection, options);
}
template <divisible_range R, std::movable T, class Op = std::plus<>>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<std::identity, R, T>)
    [[nodiscard]] T reduce(R&& range, T init, Op op = {}, const range_options& options = {}) {
  detail::everyday::venue where;
  std::identity projection;
  return detail::everyday::reduce("reduce", where, range, std::move(init), op, projection, options);
}

/// init ∘ f(x_0) ∘ … ∘ f(x_{n−1}): as reduce, with f for the projection.
///
/// ```cpp
/// const double squares = pleat::transform_reduce(machine, samples, 0.0, std::plus<>(),
///                                                [](double x) { return x * x; });
/// ```
template <divisible_range R, std::movable T, class Op, class F>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<F, R, T>) [[nodiscard]] T
    transform_reduce(machine& on, R&& range, T init, Op op, F f,
                     const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::reduce("transform_reduce", where, range, std::move(init), op, f,
                                  options);
}
template <divisible_range R, std::movable T, class Op, class F>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<F, R, T>) [[nodiscard]] T
    transform_reduce(R&& range, T init, Op op, F f, const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::reduce("transform_reduce", where, range, std::move(init), op, f,
                                  options);
}

/// init ∘ f(a_0, b_0) ∘ …, as far as the shorter of both reaches; by default the inner product.
///
/// ```cpp
/// const double product = pleat::transform_reduce(machine, samples, weights, 0.0);
/// ```
template <divisible_range A, divisible_range B, std::movable T, class Op = std::plus<>,
          class F = std::multiplies<>>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_both_as<F, A, B, T>)
    [[nodiscard]] T transform_reduce(machine& on, A&& a, B&& b, T init, Op op = {}, F f = {},
                                     const range_options& options = {}) {
  detail::everyday::venue where(on);
  return detail::everyday::reduce_both(where, a, b, std::move(init), op, f, options);
}
template <divisible_range A, divisible_range B, std::movable T, class Op = std::plus<>,
          class F = std::multiplies<>>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_both_as<F, A, B, T>)
    [[nodiscard]] T transform_reduce(A&& a, B&& b, T init, Op op = {}, F f = {},
                                     const range_options& options = {}) {
  detail::everyday::venue where;
  return detail::everyday::reduce_both(where, a, b, std::move(init), op, f, options);
}

}  // namespace pleat
