// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <class Work>
void each(const char* name, executor& where, const loop_options& options, std::size_t n,
          const Work& work, pace how) {
  if (options.chunk)
    everyday::loop_in_chunks(name, where, options, *options.chunk, n, work);
  else
    everyday::loop(name, where, options, n, work, how);
}

template <divisible_range R, class F, class Projection>
void for_each(executor&& where, R& range, F& f, Projection& given, const loop_options& options) {
  auto& projection = detail::projection_in<loop_options>(given);
  const auto first = everyday::changeable_begin_of(range);
  everyday::each(
      "for_each", where, detail::options_in(given, options), everyday::size_of(range),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          std::invoke(f, everyday::projected(first, i, projection));
      },
      pace_of<std::ranges::range_value_t<R>, F, std::remove_cvref_t<decltype(projection)>>);
}

template <std::integral Index, class F>
void for_each_index(executor&& where, Index first, Index last, F& f, const loop_options& options) {
  const auto begin =
      static_cast<std::size_t>(first);  // all sums modulo 2^64: first may be negative
  everyday::each(
      "for_each_index", where, options,
      first < last ? static_cast<std::size_t>(last) - begin : std::size_t{0},
      [&f, begin](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) std::invoke(f, static_cast<Index>(begin + i));
      },
      pace_of<Index, F>);
}

/// Requires that F can be called with the results of Projection for elements of R.
template <class F, class R, class Projection>
concept takes_each = divisible_range<R> && std::indirectly_unary_invocable<
    F,
    std::projected<std::ranges::iterator_t<R>, detail::projection_type<Projection, loop_options>>>;

}  // namespace detail::everyday

/// Calls f(projection(x)) for each element x of a range, in any order.
///
/// ```cpp
/// pleat::for_each(machine, people, [](person& p) { p.name += '!'; });
/// pleat::for_each(machine, keys, slow, {}, {.chunk = 8});    // where some take longer than others
/// ```
///
/// The contract of all everyday algorithms: range_options.hpp.
/// Cost: n calls, n/P by each VP; one superstep without a barrier. With chunks, a VP that is free
/// takes the next one by an atomic operation, which costs some 20 to 100 ns.
/// Throws: what f and the projection throw (some elements are then not visited); usage_error for
/// chunks of 0 elements.
template <class R, class F, class Projection = loop_options>
requires detail::everyday::takes_each<F, R, Projection>
void for_each(machine& on, R&& range, F f, Projection projection = {},
              const loop_options& options = {}) {
  detail::everyday::for_each({on}, range, f, projection, options);
}
template <class R, class F, class Projection = loop_options>
requires detail::everyday::takes_each<F, R, Projection>
void for_each(R&& range, F f, Projection projection = {}, const loop_options& options = {}) {
  detail::everyday::for_each({}, range, f, projection, options);
}

/// Calls f(x) for each element x between two iterators.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          std::indirectly_unary_invocable<I> F>
void for_each(machine& on, I first, S last, F f, const loop_options& options = {}) {
  pleat::for_each(on, std::ranges::subrange(first, last), std::move(f), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          std::indirectly_unary_invocable<I> F>
void for_each(I first, S last, F f, const loop_options& options = {}) {
  pleat::for_each(std::ranges::subrange(first, last), std::move(f), options);
}

/// Calls f(i) for each integer i from 0 to n − 1, or from `first` to `last` − 1, in any order; for
/// none if there is no such integer.
///
/// ```cpp
/// pleat::for_each_index(machine, keys.size(), [&](std::size_t i) { keys[i] = i * i; });
/// pleat::for_each_index(machine, 1, keys.size(), [&](std::size_t i) { keys[i] -= i; });
/// ```
///
/// i has the type of `last`, to which `first` is converted. Cost and throws: as for_each.
template <std::integral Index, std::invocable<Index> F>
void for_each_index(machine& on, Index n, F f, const loop_options& options = {}) {
  detail::everyday::for_each_index({on}, Index{}, n, f, options);
}
template <std::integral Index, std::invocable<Index> F>
void for_each_index(Index n, F f, const loop_options& options = {}) {
  detail::everyday::for_each_index({}, Index{}, n, f, options);
}
template <std::integral Index, std::invocable<Index> F>
void for_each_index(machine& on, std::type_identity_t<Index> first, Index last, F f,
                    const loop_options& options = {}) {
  detail::everyday::for_each_index({on}, first, last, f, options);
}
template <std::integral Index, std::invocable<Index> F>
void for_each_index(std::type_identity_t<Index> first, Index last, F f,
                    const loop_options& options = {}) {
  detail::everyday::for_each_index({}, first, last, f, options);
}

/// Calls f(projection(x)) for each element x of all ranks, in any order. Each rank visits its
/// block, on its own workers.
///
/// ```cpp
/// pleat::for_each(machine, distributed_samples, [](double& x) { x *= 2; });
/// ```
///
/// Collective, see distributed. Requires, cost: as for_each of a block; one 0-superstep. Throws:
/// what f and the projection throw on any rank; some elements are then not visited.
template <class T, class F, class Projection = std::identity>
requires std::indirectly_unary_invocable<F, std::projected<T*, Projection>>
void for_each(machine& on, distributed<T>& data, F f, Projection projection = {}) {
  auto call = data.collective(on, "for_each");
  call.here([&] {
    auto block = data.local();
    detail::everyday::for_each({on}, block, f, projection, {});
  });
  call.only_meet();
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::for_each(std::forward<A>(a)...); }) detail::no_result
    for_each(A&&...) {
  using call = detail::wrong_call<A...>;
  using R = typename call::template argument<0>;
  using F = typename call::template argument<1>;
  using P = typename call::template callable<2, std::identity, loop_options>;
  if constexpr (call::machine_is_late)
    static_assert(detail::never<R>, "pleat::for_each: the machine comes first");
  else if constexpr (!divisible_range<R>)
    static_assert(detail::never<R>,
                  "pleat::for_each: give a divisible_range, or two random access iterators");
  else if constexpr (!std::is_invocable_v<P&, std::ranges::range_reference_t<R>>)
    static_assert(detail::never<R>,
                  "pleat::for_each: the projection must be callable with an element");
  else
    static_assert(
        std::is_invocable_v<F, std::invoke_result_t<P&, std::ranges::range_reference_t<R>>> &&
            detail::never<F>,
        "pleat::for_each: f must be callable with an element, and copyable");
  return {};
}
/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::for_each_index(std::forward<A>(a)...); }) detail::no_result
    for_each_index(A&&...) {
  static_assert(!detail::wrong_call<A...>::machine_is_late,
                "pleat::for_each_index: the machine comes first");
  static_assert(detail::wrong_call<A...>::machine_is_late || detail::never<A...>,
                "pleat::for_each_index: give one integer or two, and f that is callable with one");
  return {};
}

}  // namespace pleat
