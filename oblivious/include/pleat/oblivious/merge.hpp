// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/agreement.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/merging.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Type to which keys of two types are converted for comparison, if they are numbers.
template <class A, class B> struct compared_as : std::type_identity<A> {};
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) struct compared_as<A, B>
    : std::common_type<A, B> {
};

template <divisible_range A, divisible_range B, divisible_range O, class Compare, class Projection>
std::ranges::borrowed_iterator_t<O> merge(executor& where, A& a, B& b, O&& out, Compare& less,
                                          Projection& given, const range_options& options) {
  auto& projection = detail::projection_in<range_options>(given);
  using shows = projection_type<Projection>;
  using keys = compared_as<shown_value<std::ranges::iterator_t<A>, shows>,
                           shown_value<std::ranges::iterator_t<B>, shows>>;
  auto&& order = sorting::order_by<typename keys::type>(less);
  const merging all(everyday::begin_of(a), everyday::size_of(a), everyday::begin_of(b),
                    everyday::size_of(b), everyday::changeable_begin_of(out), order, projection);
  everyday::require_places("merge", all.size(), everyday::size_of(out));
  everyday::merge(where, detail::options_in(given, options),
                  pace_of<std::ranges::range_value_t<A>, Compare, shows>, all);
  return everyday::place(std::forward<O>(out), all.size());
}

template <class A, class B, class O, class Compare, class Projection>
concept merges_to = divisible_range<A> && divisible_range<B> && divisible_range<O> &&
    std::mergeable<std::ranges::iterator_t<A>, std::ranges::iterator_t<B>,
                   std::ranges::iterator_t<O>, Compare, projection_type<Projection>,
                   projection_type<Projection>>;

}  // namespace detail::everyday

/// Merges two sorted ranges into `out`; returns the end of the result. Elements of `a` come before
/// equal elements of `b`.
///
/// ```cpp
/// pleat::merge(machine, keys, more, all);
/// pleat::merge(machine, people, others, everybody, {}, &person::name);
/// ```
///
/// Requires: both sorted by less(projection(x), projection(y)), as sort leaves them, NaNs last; an
/// output that is long enough for both and shares no memory with them. If they are not sorted, or
/// `less` is no strict weak order, the output holds the elements of both in an unspecified order.
/// The contract of all everyday algorithms: range_options.hpp.
///
/// Cost: n comparisons, and log2 n for each VP, to find its part of the result by binary search;
/// one 0-superstep. Throws: what `less`, the projection and copies throw; usage_error for an output
/// that is too short. Source: Deo, Sarkar, Parallel Algorithms for Merging and Sorting, 1991.
template <class A, class B, class O, class Compare = std::ranges::less,
          class Projection = range_options>
requires detail::everyday::merges_to<A, B, O, Compare, Projection>
    std::ranges::borrowed_iterator_t<O> merge(machine& on, A&& a, B&& b, O&& out, Compare less = {},
                                              Projection projection = {},
                                              const range_options& options = {}) {
  detail::everyday::executor where(on);
  return detail::everyday::merge(where, a, b, std::forward<O>(out), less, projection, options);
}
template <class A, class B, class O, class Compare = std::ranges::less,
          class Projection = range_options>
requires detail::everyday::merges_to<A, B, O, Compare, Projection>
    std::ranges::borrowed_iterator_t<O> merge(A&& a, B&& b, O&& out, Compare less = {},
                                              Projection projection = {},
                                              const range_options& options = {}) {
  detail::everyday::executor where;
  return detail::everyday::merge(where, a, b, std::forward<O>(out), less, projection, options);
}

/// Merges two sorted distributed arrays into a third, `out`; returns the number of elements
/// written. Elements of `a` come before equal elements of `b`. The result is that of merge of
/// arrays.
///
/// ```cpp
/// pleat::merge(machine, distributed_keys, distributed_more, distributed_all);
/// pleat::merge(machine, distributed_a, distributed_b, distributed_c, {}, &person::name);
/// ```
///
/// Requires: a and b are sorted by less(projection(x), projection(y)), a strict weak order, the
/// same on all ranks; `out` is neither of them and has at least as many elements as both together.
/// If it has more, the elements behind the result do not change. Collective, see distributed.
///
/// Cost, of each VP (P of them on R ranks, n elements in all): O(log n) supersteps, in each of
/// which it gets up to 32 KiB of samples from each rank; one superstep of n/P elements sent and
/// received; n/P comparisons. Memory of each rank besides the blocks: its share of a and b while it
/// is sent, and its share of the result while it arrives.
///
/// Throws, on all ranks: what `less`, the projection and copies throw (`out` then has some elements
/// of both); usage_error (`out` is too short, or is one of the inputs). If the inputs are not
/// sorted, or `less` is no strict weak order, `out` holds the elements of both in an unspecified
/// order.
///
/// Source: as sort of distributed data.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::mergeable<const T*, const T*, T*, Compare, Projection, Projection> std::size_t merge(
    machine& on, const distributed<T>& a, const distributed<T>& b, distributed<T>& out,
    Compare less = {}, Projection projection = {}) {
  auto call = a.collective(on, "merge");
  const std::size_t n = a.size() + b.size();
  call.check([&] {
    detail::everyday::require_places("merge", n, out.size());
    if (&out == &a || &out == &b)
      throw usage_error("merge: the output is one of the inputs; give it its own elements");
  });
  if (call.alone()) {
    const machine::rank_turn here(on);
    pleat::merge(on, a.local(), b.local(), out.local(), std::move(less), std::move(projection));
    return n;
  }
  if constexpr (byte_copyable<T>) {
    namespace everyday = detail::everyday;
    auto&& order = detail::sorting::order_by<everyday::shown_value<const T*, Projection>>(less);
    const auto before = [&](const T& x, const T& y) {
      return static_cast<bool>(
          std::invoke(order, std::invoke(projection, x), std::invoke(projection, y)));
    };
    using merging = detail::distribution::chain_merge<T, decltype(before)>;
    const merging merge_pieces(before);
    detail::distribution::merge_program<T, merging> program(
        {{{a.size(), a.local()}, {b.size(), b.local()}}}, out.size(), a.rank(), merge_pieces,
        out.local().data());
    const detail::distribution::agreed_words words{b.size(), out.size()};
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, a.rank(), words, "merge: sizes");
      co_await program(me, places);
    });
  }
  return n;
}

}  // namespace pleat
