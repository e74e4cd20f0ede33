// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <pleat/oblivious/detail/program/wrong_call.hpp>
#include <pleat/oblivious/sort_options.hpp>

namespace pleat::detail::sorting {

/// Reasons why no overload of a sort takes a call, as compilers print them.
namespace refusal {
struct the_machine_comes_first {};
struct the_data_are_no_random_access_range_and_not_between_two_random_access_iterators {};
struct the_range_is_no_random_access_range_copy_it_into_a_vector {};
struct the_range_is_no_sized_range_copy_it_into_a_vector {};
struct the_second_argument_is_no_sized_sentinel_for_the_iterator {};
struct the_elements_are_const_or_made_by_a_view_or_cannot_be_moved_sort_a_copy {};
struct the_projection_cannot_be_called_with_an_element {};
struct the_order_cannot_be_called_with_two_keys_or_returns_no_bool {};
struct too_many_or_wrong_arguments_give_range_order_projection_sort_options_in_this_order {};
}  // namespace refusal

/// The first requirement that is not met. Order and projection are the arguments from First on.
template <class I, class Call, std::size_t First> constexpr auto refusal_by_order() {
  using order = typename Call::template callable<First, std::ranges::less, sort_options>;
  using projection = typename Call::template callable<First + 1, std::identity, sort_options>;
  if constexpr (!std::permutable<I>)
    return refusal::the_elements_are_const_or_made_by_a_view_or_cannot_be_moved_sort_a_copy();
  else if constexpr (!std::indirectly_regular_unary_invocable<projection, I>)
    return refusal::the_projection_cannot_be_called_with_an_element();
  else if constexpr (!std::indirect_strict_weak_order<order, std::projected<I, projection>>)
    return refusal::the_order_cannot_be_called_with_two_keys_or_returns_no_bool();
  else
    return refusal::
        too_many_or_wrong_arguments_give_range_order_projection_sort_options_in_this_order();
}

template <class... A> constexpr auto refusal_by() {
  using call = wrong_call<A...>;
  using data = typename call::template argument<0>;
  using I = std::remove_cvref_t<data>;
  if constexpr (call::machine_is_late) {
    return refusal::the_machine_comes_first();
  } else if constexpr (std::ranges::range<data>) {
    if constexpr (!std::ranges::random_access_range<data>)
      return refusal::the_range_is_no_random_access_range_copy_it_into_a_vector();
    else if constexpr (!std::ranges::sized_range<data>)
      return refusal::the_range_is_no_sized_range_copy_it_into_a_vector();
    else
      return sorting::refusal_by_order<std::ranges::iterator_t<data>, call, 1>();
  } else if constexpr (!std::random_access_iterator<I>) {
    return refusal::
        the_data_are_no_random_access_range_and_not_between_two_random_access_iterators();
  } else if constexpr (!std::sized_sentinel_for<
                           std::remove_cvref_t<typename call::template argument<1>>, I>) {
    return refusal::the_second_argument_is_no_sized_sentinel_for_the_iterator();
  } else {
    return sorting::refusal_by_order<I, call, 2>();
  }
}

}  // namespace pleat::detail::sorting
