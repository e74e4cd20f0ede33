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

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/start.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Requires that the results of F for arguments of the types Argument can be written to O.
template <class O, class F, class... Argument>
concept transforms_to = divisible_range<O> && std::regular_invocable<F&, Argument...> &&
    std::indirectly_writable<std::ranges::iterator_t<O>, std::invoke_result_t<F&, Argument...>>;

template <class R, class Projection>
using shown_t = std::indirect_result_t<projection_type<Projection>&, std::ranges::iterator_t<R>>;

/// Writes get(i) to the i-th place of the results.
template <class Results, class Get>
void transform_to(executor& where, const range_options& options, std::size_t n, const Results& out,
                  const Get& get, pace how) {
  everyday::loop(
      "transform", where, options, n,
      [&](std::size_t begin, std::size_t end) {
        out.write({begin, end}, [&get](interval<> some, auto to) {
          for (std::size_t i = some.first; i < some.last; ++i)
            everyday::at(to, i - some.first) = get(i);
        });
        out.finish();
      },
      how);
}

template <divisible_range R, divisible_range O, class F, class Projection>
std::ranges::borrowed_iterator_t<O> transform(executor&& where, R& in, O&& out, F& f,
                                              Projection& given, const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  const std::size_t n = everyday::size_of(in);
  everyday::require_places("transform", n, everyday::size_of(out));
  const auto from = everyday::begin_of(in);
  const auto to = everyday::changeable_begin_of(out);
  everyday::transform_to(
      where, detail::options_in(given, options), n, results(to, n, everyday::same_place(from, to)),
      [from, &f, &projection](std::size_t i) -> decltype(auto) {
        return std::invoke(f, everyday::projected(from, i, projection));
      },
      pace_of<std::ranges::range_value_t<R>, F, projection_type<Projection>>);
  return everyday::place(std::forward<O>(out), n);
}

template <divisible_range A, divisible_range B, divisible_range O, class F>
std::ranges::borrowed_iterator_t<O> transform_both(executor&& where, A& a, B& b, O&& out, F& f,
                                                   const range_options& options) {
  const std::size_t n = std::min(everyday::size_of(a), everyday::size_of(b));
  everyday::require_places("transform", n, everyday::size_of(out));
  const auto first = everyday::begin_of(a);
  const auto second = everyday::begin_of(b);
  const auto to = everyday::changeable_begin_of(out);
  everyday::transform_to(
      where, options, n,
      results(to, n, everyday::same_place(first, to) || everyday::same_place(second, to)),
      [first, second, &f](std::size_t i) -> decltype(auto) {
        return std::invoke(f, everyday::at(first, i), everyday::at(second, i));
      },
      pace_of<std::ranges::range_value_t<A>, F>);
  return everyday::place(std::forward<O>(out), n);
}

}  // namespace detail::everyday

/// Sets out[i] = f(projection(in[i])) for each element; returns the end of the results.
///
/// ```cpp
/// pleat::transform(machine, keys, roots, [](auto key) { return std::sqrt(key); });
/// pleat::transform(machine, keys, keys, [](auto key) { return key + 1; });        // in place
/// pleat::transform(machine, people, lengths, &std::string::size, &person::name);
/// ```
///
/// Requires: the output is at least as long as the input; it is the input, or shares no memory with
/// it. The contract of all everyday algorithms: range_options.hpp.
/// Cost: n calls, n/P by each VP; one superstep without a barrier.
/// Throws: what f and the projection throw; usage_error for an output that is too short.
template <divisible_range R, class O, class F, class Projection = range_options>
requires detail::everyday::transforms_to<O, F, detail::everyday::shown_t<R, Projection>>
    std::ranges::borrowed_iterator_t<O> transform(machine& on, R&& in, O&& out, F f,
                                                  Projection projection = {},
                                                  const range_options& options = {}) {
  return detail::everyday::transform({on}, in, std::forward<O>(out), f, projection, options);
}
template <divisible_range R, class O, class F, class Projection = range_options>
requires detail::everyday::transforms_to<O, F, detail::everyday::shown_t<R, Projection>>
    std::ranges::borrowed_iterator_t<O> transform(R&& in, O&& out, F f, Projection projection = {},
                                                  const range_options& options = {}) {
  return detail::everyday::transform({}, in, std::forward<O>(out), f, projection, options);
}

/// Sets the elements from `out` on to f(x) for each element x between two iterators.
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          std::random_access_iterator O, std::indirectly_unary_invocable<I> F>
requires std::indirectly_writable<O, std::indirect_result_t<F&, I>> O
transform(machine& on, I first, S last, O out, F f, const range_options& options = {}) {
  return pleat::transform(on, std::ranges::subrange(first, last),
                          std::ranges::subrange(out, out + (last - first)), std::move(f), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S,
          std::random_access_iterator O, std::indirectly_unary_invocable<I> F>
requires std::indirectly_writable<O, std::indirect_result_t<F&, I>> O
transform(I first, S last, O out, F f, const range_options& options = {}) {
  return pleat::transform(std::ranges::subrange(first, last),
                          std::ranges::subrange(out, out + (last - first)), std::move(f), options);
}

/// Sets out[i] = f(a[i], b[i]) for the indices of the shorter input.
template <divisible_range A, divisible_range B, class O, class F>
requires detail::everyday::transforms_to<O, F, std::ranges::range_reference_t<A>,
                                         std::ranges::range_reference_t<B>>
    std::ranges::borrowed_iterator_t<O> transform(machine& on, A&& a, B&& b, O&& out, F f,
                                                  const range_options& options = {}) {
  return detail::everyday::transform_both({on}, a, b, std::forward<O>(out), f, options);
}
template <divisible_range A, divisible_range B, class O, class F>
requires detail::everyday::transforms_to<O, F, std::ranges::range_reference_t<A>,
                                         std::ranges::range_reference_t<B>>
    std::ranges::borrowed_iterator_t<O> transform(A&& a, B&& b, O&& out, F f,
                                                  const range_options& options = {}) {
  return detail::everyday::transform_both({}, a, b, std::forward<O>(out), f, options);
}

/// Sets element i of `out` to f(element i of `in`). `in` and `out` may be the same.
///
/// ```cpp
/// pleat::transform(machine, distributed_samples, distributed_roots, [](double x) { return x; });
/// ```
///
/// Collective, see distributed. Cost: as transform of a block; one 0-superstep. Throws: what f
/// throws on any rank (the output is then unspecified); usage_error (different numbers of
/// elements).
template <class T, class U, class F>
requires(std::regular_invocable<F&, const T&>&& std::assignable_from<
         U&, std::invoke_result_t<F&, const T&>>) void transform(machine& on,
                                                                 const distributed<T>& in,
                                                                 distributed<U>& out, F f) {
  auto call = in.collective(on, "transform", sizeof(U));
  call.check([&] { detail::distribution::require_output(on, "transform", in, out); });
  call.here([&] { pleat::transform(on, in.local(), out.local(), std::ref(f)); });
  call.only_meet();
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::transform(std::forward<A>(a)...); }) detail::no_result
    transform(A&&...) {
  using call = detail::wrong_call<A...>;
  using R = typename call::template argument<0>;
  if constexpr (call::machine_is_late)
    static_assert(detail::never<R>, "pleat::transform: the machine comes first");
  else if constexpr (!divisible_range<R> || !divisible_range<typename call::template argument<1>>)
    static_assert(detail::never<R>,
                  "pleat::transform: give a divisible_range of elements and one of places for the "
                  "results, or random access iterators");
  else if constexpr (divisible_range<typename call::template argument<2>>)
    static_assert(detail::never<R>,
                  "pleat::transform: f must be callable with an element of each of the first two "
                  "ranges, and its results must be of a type that can be written to the third one");
  else if constexpr (std::is_invocable_v<typename call::template argument<2>,
                                         std::ranges::range_reference_t<R>>)
    static_assert(detail::never<R>,
                  "pleat::transform: the results of f must be of a type that can be written to the "
                  "second range");
  else
    static_assert(detail::never<R>,
                  "pleat::transform: f must be callable with an element, or with the result of the "
                  "projection for it");
  return {};
}

}  // namespace pleat
