// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/sort_options.hpp>

namespace pleat::detail::sorting {

/// Reason why no overload of a sort takes a call: the first requirement that is not met.
enum class refusal {
  machine_is_late,
  no_data,
  no_random_access,
  no_size,
  no_end,
  not_permutable,
  projection,
  order,
  arguments
};

/// Order and projection are the arguments from First on.
template <class I, class Call, std::size_t First> constexpr refusal order_refusal() {
  using order = typename Call::template callable<First, std::ranges::less, sort_options>;
  using projection = typename Call::template callable<First + 1, std::identity, sort_options>;
  if constexpr (!std::permutable<I>)
    return refusal::not_permutable;
  else if constexpr (!std::indirectly_regular_unary_invocable<projection, I>)
    return refusal::projection;
  else if constexpr (!std::indirect_strict_weak_order<order, std::projected<I, projection>>)
    return refusal::order;
  else
    return refusal::arguments;
}

template <class... A> constexpr refusal refusal_of() {
  using call = wrong_call<A...>;
  using data = typename call::template argument<0>;
  using I = std::remove_cvref_t<data>;
  if constexpr (call::machine_is_late) {
    return refusal::machine_is_late;
  } else if constexpr (std::ranges::range<data>) {
    if constexpr (!std::ranges::random_access_range<data>)
      return refusal::no_random_access;
    else if constexpr (!std::ranges::sized_range<data>)
      return refusal::no_size;
    else
      return sorting::order_refusal<std::ranges::iterator_t<data>, call, 1>();
  } else if constexpr (!std::random_access_iterator<I>) {
    return refusal::no_data;
  } else if constexpr (!std::sized_sentinel_for<
                           std::remove_cvref_t<typename call::template argument<1>>, I>) {
    return refusal::no_end;
  } else {
    return sorting::order_refusal<I, call, 2>();
  }
}

}  // namespace pleat::detail::sorting
