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

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Requires that T can hold the projection of an element.
template <class T, class Projected>
concept holds_projected = std::constructible_from<T, Projected> && everyday::holds<T, Projected>();
/// Requires that the results of F for the elements of R can be converted to T.
template <class F, class R, class T>
concept shows_as =
    std::indirectly_unary_invocable<projection_type<F>, std::ranges::iterator_t<R>> &&
    holds_projected < T,
        std::indirect_result_t < projection_type<F>
&, std::ranges::iterator_t < R >>> ;
template <class F, class A, class B, class T>
concept shows_both_as = std::regular_invocable<F&, std::ranges::range_reference_t<A>,
                                               std::ranges::range_reference_t<B>> &&
    holds_projected<T, std::invoke_result_t<F&, std::ranges::range_reference_t<A>,
                                            std::ranges::range_reference_t<B>>>;

/// Pace of a reduction of the results of F for elements of type E. `plain`: Op is an operator that
/// the library knows, and elements are not projected.
template <class E, class T, class Op, class F, bool plain>
inline constexpr pace pace_of_sum =
    plain&& std::is_arithmetic_v<E> ? pace::known : pace_of<E, Op, F>;

template <divisible_range R, class T, class Op, class F>
T reduce(const char* name, executor&& where, R& range, T init, Op& op, F& given,
         const range_options& options) {
  auto& f = detail::projection_in<range_options>(given);
  using shows = projection_type<F>;
  constexpr bool cheap = everyday::cheap<T, Op> && std::is_same_v<shows, std::identity>;
  const auto first = everyday::begin_of(range);
  return everyday::total(name, where, detail::options_in(given, options), everyday::size_of(range),
                         cheap, pace_of_sum<std::ranges::range_value_t<R>, T, Op, shows, cheap>,
                         std::move(init), op, projected_elements{first, f});
}

template <divisible_range A, divisible_range B, class T, class Op, class F>
T reduce_both(executor&& where, A& a, B& b, T init, Op& op, F& f, const range_options& options) {
  constexpr bool cheap = everyday::cheap<T, Op> && std::is_same_v<F, std::multiplies<>>;
  const auto first = everyday::begin_of(a);
  const auto second = everyday::begin_of(b);
  return everyday::total("transform_reduce", where, options,
                         std::min(everyday::size_of(a), everyday::size_of(b)), cheap,
                         pace_of_sum<std::ranges::range_value_t<A>, T, Op, F, cheap>,
                         std::move(init), op, [&f, first, second](std::size_t i) -> decltype(auto) {
                           return std::invoke(f, everyday::at(first, i), everyday::at(second, i));
                         });
}

}  // namespace detail::everyday

/// Returns init ∘ x_0 ∘ x_1 ∘ … ∘ x_{n−1}, where op(a, b) is a ∘ b, and x_i is projection(range[i])
/// as a T.
///
/// ```cpp
/// const double sum = pleat::reduce(machine, samples, 0.0);                 // by std::plus
/// const double peak = pleat::reduce(machine, samples, 0.0, pleat::maximum());
/// const auto letters = pleat::reduce(people, std::size_t{0}, {}, [](const person& p) {
///   return p.name.size();
/// });
/// ```
///
/// Requires: op is associative, except for rounding. It need not commute: operands keep their
/// order, unless commutes<Op, T> is true. T can be moved. A T that cannot hold the elements, such
/// as an int for floating-point numbers or for std::size_t, does not compile.
///
/// Guarantees: the association is that of a binary tree whose shape depends on n and T alone. So
/// the result is the same on every machine and for any number of VPs, and rounding errors of
/// floating-point sums grow as log n. The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: n calls of op, n/P by each VP; one 0-superstep, in which each VP lends O(log n) values to
/// VP 0. Throws: what op and the projection throw.
template <divisible_range R, std::movable T, class Op = std::plus<>,
          class Projection = range_options>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<Projection, R, T>)
    [[nodiscard]] T reduce(machine& on, R&& range, T init, Op op = {}, Projection projection = {},
                           const range_options& options = {}) {
  return detail::everyday::reduce("reduce", {on}, range, std::move(init), op, projection, options);
}
template <divisible_range R, std::movable T, class Op = std::plus<>,
          class Projection = range_options>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<Projection, R, T>)
    [[nodiscard]] T reduce(R&& range, T init, Op op = {}, Projection projection = {},
                           const range_options& options = {}) {
  return detail::everyday::reduce("reduce", {}, range, std::move(init), op, projection, options);
}

/// Combines init and the elements between two iterators.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::movable T,
          class Op = std::plus<>>
requires(detail::everyday::combines<Op, T>&&
             detail::everyday::holds_projected<T, std::iter_reference_t<I>>) [[nodiscard]] T
    reduce(machine& on, I first, S last, T init, Op op = {}, const range_options& options = {}) {
  return pleat::reduce(on, std::ranges::subrange(first, last), std::move(init), std::move(op),
                       options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, std::movable T,
          class Op = std::plus<>>
requires(detail::everyday::combines<Op, T>&&
             detail::everyday::holds_projected<T, std::iter_reference_t<I>>) [[nodiscard]] T
    reduce(I first, S last, T init, Op op = {}, const range_options& options = {}) {
  return pleat::reduce(std::ranges::subrange(first, last), std::move(init), std::move(op), options);
}

/// Returns init ∘ f(x_0) ∘ … ∘ f(x_{n−1}), as reduce with the projection f.
///
/// ```cpp
/// const double squares = pleat::transform_reduce(machine, samples, 0.0, std::plus<>(),
///                                                [](double x) { return x * x; });
/// ```
template <divisible_range R, std::movable T, class Op, class F>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<F, R, T>) [[nodiscard]] T
    transform_reduce(machine& on, R&& range, T init, Op op, F f,
                     const range_options& options = {}) {
  return detail::everyday::reduce("transform_reduce", {on}, range, std::move(init), op, f, options);
}
template <divisible_range R, std::movable T, class Op, class F>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_as<F, R, T>) [[nodiscard]] T
    transform_reduce(R&& range, T init, Op op, F f, const range_options& options = {}) {
  return detail::everyday::reduce("transform_reduce", {}, range, std::move(init), op, f, options);
}

/// Returns init ∘ f(a_0, b_0) ∘ … ∘ f(a_{m−1}, b_{m−1}), where m is the size of the shorter range;
/// by default the inner product.
///
/// ```cpp
/// const double product = pleat::transform_reduce(machine, samples, weights, 0.0);
/// ```
template <divisible_range A, divisible_range B, std::movable T, class Op = std::plus<>,
          class F = std::multiplies<>>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_both_as<F, A, B, T>)
    [[nodiscard]] T transform_reduce(machine& on, A&& a, B&& b, T init, Op op = {}, F f = {},
                                     const range_options& options = {}) {
  return detail::everyday::reduce_both({on}, a, b, std::move(init), op, f, options);
}
template <divisible_range A, divisible_range B, std::movable T, class Op = std::plus<>,
          class F = std::multiplies<>>
requires(detail::everyday::combines<Op, T>&& detail::everyday::shows_both_as<F, A, B, T>)
    [[nodiscard]] T transform_reduce(A&& a, B&& b, T init, Op op = {}, F f = {},
                                     const range_options& options = {}) {
  return detail::everyday::reduce_both({}, a, b, std::move(init), op, f, options);
}

/// Returns init ∘ x_0 ∘ … ∘ x_{n−1} on all ranks, where op(a, b) is a ∘ b, and x_i is element i as
/// a T.
///
/// ```cpp
/// const double sum = pleat::reduce(machine, distributed_samples, 0.0);
/// ```
///
/// Requires: op and T as for reduce of an array; init the same on all ranks. On several ranks a T
/// can be copied as bytes.
///
/// Guarantees: the result is that of reduce of one array of these elements, bit for bit. The
/// association depends on n and T alone, not on ranks or workers.
///
/// Collective, see distributed. Cost: n/R calls of op on the workers of each of R ranks; four
/// 0-supersteps, in which each rank sends fewer than 2048 values to a rank before it, and each VP
/// sends O(log n) values to VP 0. Throws: what op throws on any rank; usage_error.
template <class E, byte_copyable T, class Op = std::plus<>>
requires(detail::everyday::combines<Op, T>&& std::constructible_from<T, const E&>) [[nodiscard]] T
    reduce(machine& on, const distributed<E>& data, T init, Op op = {}) {
  auto call = data.collective(on, "reduce", sizeof(T));
  if (call.alone())
    return call.own(
        [&] { return pleat::reduce(on, data.local(), std::move(init), std::move(op)); });
  return detail::distribution::sum_blocks(call, data.size(), detail::everyday::cheap<T, Op>, init,
                                          op, detail::everyday::held_elements(data));
}

/// Returns init ∘ f(x_0) ∘ … ∘ f(x_{n−1}) on all ranks, as reduce with f applied to each element.
///
/// ```cpp
/// const double squares = pleat::transform_reduce(machine, distributed_samples, 0.0,
///                                                std::plus<>(), [](double x) { return x * x; });
/// ```
///
/// Guarantees: the result is that of transform_reduce of one array, bit for bit. All else is as for
/// reduce.
template <class E, byte_copyable T, class Op, class F>
requires(detail::everyday::combines<Op, T>&& std::regular_invocable<F&, const E&>&&
             std::constructible_from<T, std::invoke_result_t<F&, const E&>>) [[nodiscard]] T
    transform_reduce(machine& on, const distributed<E>& data, T init, Op op, F f) {
  auto call = data.collective(on, "transform_reduce", sizeof(T));
  if (call.alone())
    return call.own([&] {
      return pleat::transform_reduce(on, data.local(), std::move(init), std::move(op), std::ref(f));
    });
  constexpr bool cheap = detail::everyday::cheap<T, Op> && std::is_same_v<F, std::identity>;
  const detail::everyday::held_elements element(data);
  return detail::distribution::sum_blocks(
      call, data.size(), cheap, init, op,
      [&](std::size_t i) -> decltype(auto) { return std::invoke(f, element(i)); });
}

/// Returns init ∘ f(a_0, b_0) ∘ … ∘ f(a_{n−1}, b_{n−1}) of two distributed arrays of n elements on
/// all ranks; by default the inner product.
///
/// ```cpp
/// const double product = pleat::transform_reduce(machine, distributed_samples,
///                                                distributed_weights, 0.0);
/// ```
///
/// Guarantees: the result is that of transform_reduce of two arrays, bit for bit. Throws:
/// usage_error (different numbers of elements). Else as reduce.
template <class A, class B, byte_copyable T, class Op = std::plus<>, class F = std::multiplies<>>
requires(detail::everyday::combines<Op, T>&& std::regular_invocable<F&, const A&, const B&>&&
             std::constructible_from<T, std::invoke_result_t<F&, const A&, const B&>>)
    [[nodiscard]] T transform_reduce(machine& on, const distributed<A>& a, const distributed<B>& b,
                                     T init, Op op = {}, F f = {}) {
  auto call = a.collective(on, "transform_reduce", sizeof(B));
  call.check([&] { detail::distribution::require_partner(on, "transform_reduce", a, b); });
  if (call.alone())
    return call.own([&] {
      return pleat::transform_reduce(on, a.local(), b.local(), std::move(init), std::move(op),
                                     std::move(f));
    });
  constexpr bool cheap = detail::everyday::cheap<T, Op> && std::is_same_v<F, std::multiplies<>>;
  const detail::everyday::held_elements first(a);
  const detail::everyday::held_elements second(b);
  return detail::distribution::sum_blocks(
      call, a.size(), cheap, init, op,
      [&](std::size_t i) -> decltype(auto) { return std::invoke(f, first(i), second(i)); });
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::reduce(std::forward<A>(a)...); }) detail::no_result
    reduce(A&&...) {
  using call = detail::wrong_call<A...>;
  using R = typename call::template argument<0>;
  using T = std::remove_cvref_t<typename call::template argument<1>>;
  using Op = typename call::template callable<2, std::plus<>, range_options>;
  if constexpr (call::machine_is_late)
    static_assert(detail::never<R>, "pleat::reduce: the machine comes first");
  else if constexpr (!divisible_range<R>)
    static_assert(
        detail::never<R>,
        "pleat::reduce: give a divisible_range, or two random access iterators, then an "
        "initial value whose type can hold the elements, such as 0.0, or a 0 of their type");
  else if constexpr (std::is_same_v<T, typename call::missing>)
    static_assert(detail::never<R>,
                  "pleat::reduce: the initial value is missing: give one whose type can hold the "
                  "elements, such as 0.0, or a 0 of their type");
  else if constexpr (!detail::everyday::combines<Op, T>)
    static_assert(detail::never<R>,
                  "pleat::reduce: op must be callable with two values of the type of the initial "
                  "value, and its result must be convertible to that type");
  else if constexpr (!detail::everyday::holds<T, std::ranges::range_reference_t<R>>())
    static_assert(
        detail::never<R>,
        "pleat::reduce: the type of the initial value cannot hold the elements, and would "
        "cut off fractions or high bits: begin with 0.0, or a 0 of their type, or project "
        "them to its type");
  else
    static_assert(detail::never<R>,
                  "pleat::reduce: elements, or what the projection gives for them, must be "
                  "convertible to the type of the initial value, which must be able to hold them");
  return {};
}

}  // namespace pleat
