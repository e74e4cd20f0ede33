// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/loop.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

template <class Work>
void each(const char* name, executor& where, const loop_options& options, std::size_t n,
          const Work& work, pace how) {
  if (options.chunk)
    loop_in_chunks(name, where, options, *options.chunk, n, work);
  else
    loop(name, where, options, n, work, how);
}

template <divisible_range R, class F, class Projection>
void for_each(executor& where, R& range, F& f, Projection& given, const loop_options& options) {
  auto& projection = projection_in<loop_options>(given);
  const auto first = changeable_begin_of(range);
  each(
      "for_each", where, options_in(given, options), size_of(range),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) std::invoke(f, shown(first, i, projection));
      },
      pace_of<std::ranges::range_value_t<R>, F, std::remove_cvref_t<decltype(projection)>>);
}

template <std::integral Index, class F>
void for_each_index(executor& where, Index n, F& f, const loop_options& options) {
  const std::size_t count = n < Index{1} ? 0 : static_cast<std::size_t>(n);
  each(
      "for_each_index", where, options, count,
      [&f](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) std::invoke(f, static_cast<Index>(i));
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
  detail::everyday::executor where(on);
  detail::everyday::for_each(where, range, f, projection, options);
}
template <class R, class F, class Projection = loop_options>
requires detail::everyday::takes_each<F, R, Projection>
void for_each(R&& range, F f, Projection projection = {}, const loop_options& options = {}) {
  detail::everyday::executor where;
  detail::everyday::for_each(where, range, f, projection, options);
}

/// Calls f(i) for each integer i from 0 to n − 1, in any order; none if n is negative.
///
/// ```cpp
/// pleat::for_each_index(machine, keys.size(), [&](std::size_t i) { keys[i] = i * i; });
/// ```
///
/// Cost and throws: as for_each.
template <std::integral Index, std::invocable<Index> F>
void for_each_index(machine& on, Index n, F f, const loop_options& options = {}) {
  detail::everyday::executor where(on);
  detail::everyday::for_each_index(where, n, f, options);
}
template <std::integral Index, std::invocable<Index> F>
void for_each_index(Index n, F f, const loop_options& options = {}) {
  detail::everyday::executor where;
  detail::everyday::for_each_index(where, n, f, options);
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
    detail::everyday::executor where(on);
    auto block = data.local();
    detail::everyday::for_each(where, block, f, projection, {});
  });
  call.only_meet();
}

}  // namespace pleat
