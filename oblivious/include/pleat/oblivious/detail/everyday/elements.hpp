// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/range_options.hpp>
#include <pleat/runtime/error.hpp>

// The elements of a range, by their indices.
namespace pleat::detail::everyday {

template <divisible_range R> [[nodiscard]] std::size_t size_of(R& range) {
  return static_cast<std::size_t>(std::ranges::size(range));
}

/// Begin of a range: a pointer if its elements lie in one piece, so that loops over it are as fast
/// as over an array.
template <divisible_range R> [[nodiscard]] auto begin_of(R& range) {
  if constexpr (std::ranges::contiguous_range<R&>) {
    return std::to_address(std::ranges::begin(range));
  } else {
    return std::ranges::begin(range);
  }
}

/// Begin of a range whose elements several VPs change.
template <divisible_range R> [[nodiscard]] auto changeable_begin_of(R& range) {
  static_assert(!std::is_same_v<std::ranges::range_reference_t<R&>, std::vector<bool>::reference>,
                "several threads cannot change a vector<bool>, whose elements share bytes: take a "
                "vector<char>");
  return everyday::begin_of(range);
}

template <std::random_access_iterator I>
[[nodiscard]] decltype(auto) at(const I& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<I>>(i)];
}

/// The i-th element as a projection shows it.
template <std::random_access_iterator I, class Projection>
[[nodiscard]] decltype(auto) projected(const I& first, std::size_t i, Projection& projection) {
  if constexpr (std::is_same_v<std::remove_cv_t<Projection>, std::identity>) {
    return everyday::at(first, i);
  } else {
    return std::invoke(projection, everyday::at(first, i));
  }
}

/// Elements of numbers as they are.
template <class I, class Projection>
inline constexpr bool plain_numbers = std::is_same_v<std::remove_cv_t<Projection>, std::identity>&&
    std::is_arithmetic_v<std::iter_value_t<I>>;

/// Type of what a projection shows of elements, as a value.
template <class I, class Projection>
using shown_value = std::remove_cvref_t<std::indirect_result_t<Projection&, I>>;

/// Tells whether a T can hold numbers of that type. A sum that begins with 0 in place of 0.0 would
/// cut off fractions, one in place of std::size_t{0} the high bits.
template <class T, class Element> constexpr bool holds() {
  if constexpr (std::is_same_v<T, bool> || !std::is_arithmetic_v<T> ||
                !std::is_arithmetic_v<std::remove_cvref_t<Element>>) {
    return true;
  } else {
    using from = std::numeric_limits<std::remove_cvref_t<Element>>;
    using to = std::numeric_limits<T>;
    return from::is_integer && !to::is_integer
               ? true
               : from::is_integer == to::is_integer && from::digits <= to::digits;
  }
}

/// The iterator to place i, as an algorithm of std::ranges returns it.
template <divisible_range R>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> place(R&& range, std::size_t i) {
  return std::ranges::begin(range) + static_cast<std::ranges::range_difference_t<R>>(i);
}

/// The elements from place i on.
template <divisible_range R>
[[nodiscard]] std::ranges::borrowed_subrange_t<R> behind(R&& range, std::size_t i) {
  const auto begin = std::ranges::begin(range);
  using difference = std::ranges::range_difference_t<R>;
  return {begin + static_cast<difference>(i), begin + std::ranges::ssize(range)};
}

/// Requires that Is says yes or no to what a projection shows of R.
template <class Is, class R, class Projection>
concept tells =
    std::indirect_unary_predicate<Is, std::projected<std::ranges::iterator_t<R>, Projection>>;
/// Requires that Compare orders what a projection shows of R.
template <class Compare, class R, class Projection>
concept orders =
    std::indirect_strict_weak_order<Compare,
                                    std::projected<std::ranges::iterator_t<R>, Projection>>;

/// Throws: usage_error if an output has fewer places than there are results.
inline void require_places(const char* name, std::size_t results, std::size_t places) {
  if (places < results) {
    throw usage_error(std::string(name) + ": an output of " + std::to_string(places) +
                      " elements for " + std::to_string(results) + " results; make it as long");
  }
}

}  // namespace pleat::detail::everyday
