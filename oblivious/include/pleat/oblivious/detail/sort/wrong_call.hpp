// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <pleat/oblivious/sort_options.hpp>
#include <pleat/runtime/machine.hpp>

// Compiler errors for calls of a sort that no overload takes: one line each, which names the first
// concept that is not met.
namespace pleat::detail::sorting {

template <class...> inline constexpr bool never = false;

template <class I, class Compare, class Projection> constexpr void refuse_order() {
  using projection = projection_type<Projection>;
  if constexpr (!std::permutable<I>)
    static_assert(never<I>,
                  "pleat: elements are not std::permutable: they are const, made by a view, "
                  "or cannot be moved; sort a copy");
  else if constexpr (!std::indirectly_regular_unary_invocable<projection, I>)
    static_assert(never<I>,
                  "pleat: the projection is no std::indirectly_regular_unary_invocable: it "
                  "cannot be called with an element");
  else if constexpr (!std::indirect_strict_weak_order<Compare, std::projected<I, projection>>)
    static_assert(never<I>,
                  "pleat: the order is no std::indirect_strict_weak_order: it cannot be "
                  "called with two keys, or does not return a bool");
  else
    static_assert(never<I>,
                  "pleat: too many arguments, or wrong ones: give range, order, projection, "
                  "sort_options, in this order");
}

template <class Compare = std::ranges::less, class Projection = std::identity, class...>
struct order_arguments {
  template <class I> static constexpr void refuse() {
    refuse_order<I, std::remove_cvref_t<Compare>, std::remove_cvref_t<Projection>>();
  }
};

template <class First, class... Rest> constexpr void refuse_data() {
  if constexpr (std::ranges::range<First>) {
    if constexpr (!std::ranges::random_access_range<First>)
      static_assert(never<First>,
                    "pleat: the range is no std::ranges::random_access_range; copy it "
                    "into a std::vector");
    else if constexpr (!std::ranges::sized_range<First>)
      static_assert(never<First>,
                    "pleat: the range is no std::ranges::sized_range; copy it into a "
                    "std::vector");
    else
      order_arguments<Rest...>::template refuse<std::ranges::iterator_t<First>>();
  } else if constexpr (!std::random_access_iterator<std::remove_cvref_t<First>>) {
    static_assert(never<First>,
                  "pleat: the data are neither a std::ranges::random_access_range nor "
                  "between two of std::random_access_iterator");
  } else if constexpr (sizeof...(Rest) == 0) {
    static_assert(never<First>, "pleat: the std::sized_sentinel_for the iterator is missing");
  } else {
    []<class Last, class... Others>(std::type_identity<Last>, std::type_identity<Others>...) {
      using I = std::remove_cvref_t<First>;
      if constexpr (!std::sized_sentinel_for<std::remove_cvref_t<Last>, I>)
        static_assert(never<Last>, "pleat: the end is no std::sized_sentinel_for the iterator");
      else
        order_arguments<Others...>::template refuse<I>();
    }(std::type_identity<Rest>()...);
  }
}

template <class First, class... Rest> constexpr void refuse_call() {
  // Data are the arguments behind the machine, if the first one is a machine.
  if constexpr (std::same_as<std::remove_cvref_t<First>, machine> && sizeof...(Rest) > 0)
    refuse_data<Rest...>();
  else
    refuse_data<First, Rest...>();
}

}  // namespace pleat::detail::sorting
