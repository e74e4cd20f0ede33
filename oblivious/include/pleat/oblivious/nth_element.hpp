// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/oblivious/detail/everyday/best.hpp>
#include <pleat/oblivious/detail/everyday/elements.hpp>
#include <pleat/oblivious/detail/everyday/selecting.hpp>
#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

namespace detail::everyday {

/// Throws usage_error if k is greater than n.
inline void require_element(std::size_t n, std::size_t k) {
  if (k > n)
    throw usage_error("nth_element: there is no element " + std::to_string(k) + " of " +
                      std::to_string(n));
}

template <divisible_range R, class Compare, class Projection>
std::ranges::borrowed_iterator_t<R> nth_element(executor&& where, R&& range, std::size_t k,
                                                Compare& less, Projection& given,
                                                const range_options& given_options) {
  auto& projection = detail::projection_in<range_options>(given);
  const range_options& options = detail::options_in(given, given_options);
  const std::size_t n = everyday::size_of(range);
  require_element(n, k);
  clear_report(options.report);
  static_cast<void>(choose_vps("nth_element", options.vps, 1, 1));
  if (k < n) {
    const auto first = everyday::changeable_begin_of(range);
    using key = shown_value<std::ranges::iterator_t<R>, projection_type<Projection>>;
    auto&& order = sorting::order_by<key>(less);
    const auto before = everyday::of_places(first, order, projection);
    everyday::select(where, options, first, n, k, before, [&](interval<> left) {
      everyday::checked_select(everyday::iterator_at(first, left.first), left.size(),
                               k - left.first, order, projection);
    });
  }
  return everyday::place(std::forward<R>(range), k);
}

template <class R, class Compare, class Projection>
concept selects = divisible_range<R> &&
    std::sortable<std::ranges::iterator_t<R>, Compare, projection_type<Projection>>;

}  // namespace detail::everyday

/// Moves the element that would be at index k (from 0), if the range were sorted by
/// less(projection(a), projection(b)), to index k. No element before it is greater, none behind it
/// is less. Returns an iterator to it. NaNs are last, for less and for greater.
///
/// ```cpp
/// const auto median = pleat::nth_element(machine, samples, samples.size() / 2);
/// pleat::nth_element(machine, people, 10, {}, &person::name);  // the first ten in front
/// ```
///
/// Requires: values whose moves do not throw. The contract of all everyday algorithms:
/// range_options.hpp. Guarantees: the order of the elements is the same for any number of VPs. If
/// `less` is no strict weak order, the elements end up in an unspecified order.
///
/// Cost: about 2n comparisons and 3n moves, most of them by several VPs. A few rounds, each on
/// fewer elements, partition around two pivots from a random sample. Each round calls partition
/// twice; the report is that of the first call. Memory of the machine: n further values and n bits.
/// Nothing is done if k is the size of the range.
///
/// Throws: usage_error if k is greater than the size; what `less` and the projection throw (the
/// elements are then in an unspecified order); std::bad_alloc.
/// Source: Floyd, Rivest, Expected Time Bounds for Selection, 1975.
template <class R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::selects<R, Compare, Projection> std::ranges::borrowed_iterator_t<R>
nth_element(machine& on, R&& range, std::size_t k, Compare less = {}, Projection projection = {},
            const range_options& options = {}) {
  return detail::everyday::nth_element({on}, std::forward<R>(range), k, less, projection, options);
}
template <class R, class Compare = std::ranges::less, class Projection = range_options>
requires detail::everyday::selects<R, Compare, Projection> std::ranges::borrowed_iterator_t<R>
nth_element(R&& range, std::size_t k, Compare less = {}, Projection projection = {},
            const range_options& options = {}) {
  return detail::everyday::nth_element({}, std::forward<R>(range), k, less, projection, options);
}

/// Moves the element that would be at index k (from 0), if all were sorted by less(projection(a),
/// projection(b)), to index k. No element before it is greater, none behind it is less.
///
/// ```cpp
/// pleat::nth_element(machine, distributed_samples, n / 2);
/// const double median = distributed_samples.gather(machine, {n / 2})[0];
/// ```
///
/// Requires: `less` and `projection` give the same answers on all ranks. Collective, see
/// distributed. Guarantees: the order of the elements is that of nth_element of one array, for any
/// number of ranks and workers.
///
/// Cost of each of P VPs: about 2n/P comparisons, and n/P elements sent and received in one
/// superstep. A few rounds of four supersteps each come before; in a round VP 0 receives a sample
/// of up to 2√n elements and one message from each VP, and sends as many messages. VP 0 selects
/// from the last 2^15 elements. Memory of each rank besides the block: twice as many elements, a
/// byte for each, and the elements sent and received. Nothing is done if k is the number of
/// elements.
///
/// Throws, on all ranks: usage_error if k is greater than the number of elements, or differs
/// between ranks; what `less` and the projection throw; std::bad_alloc. On several ranks the blocks
/// are unchanged after an exception. If `less` is no strict weak order, the elements end up in an
/// unspecified order. Source: as nth_element of an array.
template <class T, class Compare = std::ranges::less, class Projection = std::identity>
requires std::sortable<T*, Compare, Projection>
void nth_element(machine& on, distributed<T>& data, std::size_t k, Compare less = {},
                 Projection projection = {}) {
  auto call = data.collective(on, "nth_element");
  const std::size_t n = data.size();
  call.check([&] { detail::everyday::require_element(n, k); });
  if (call.alone()) {
    call.own(
        [&] { pleat::nth_element(on, data.local(), k, std::move(less), std::move(projection)); });
  } else if constexpr (byte_copyable<T>) {
    detail::distribution::new_block<T> made(on, data.local());
    if (k < n) call.here([&] { made.make(2); });
    const std::span<const T> block = data.local();
    auto&& order = detail::sorting::order_by<detail::everyday::shown_value<T*, Projection>>(less);
    detail::distribution::selection_program program(n, k, data.rank(), block, order, projection,
                                                    made.data(1), made.data());
    const detail::distribution::agreed_words words{k};
    call.run([&](vp& me, const detail::distribution::rank_places& places) -> task<> {
      co_await detail::distribution::agree(me, places, data.rank(), words, "nth_element: indices");
      if (k < n) co_await program(me, places);
    });
    if (k < n) made.put();
  }
}

/// Rejects all other calls, and says why.
template <class... A>
requires(!requires(A && ... a) { pleat::nth_element(std::forward<A>(a)...); }) detail::no_result
    nth_element(A&&...) {
  static_assert(
      detail::never<A...>,
      "pleat::nth_element: give a random access range of elements that can be ordered and "
      "moved, the index of one as a number, then order, projection, range_options");
  return {};
}

}  // namespace pleat
