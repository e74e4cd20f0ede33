// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pleat {

namespace detail {

template <class T>
inline constexpr bool refers = std::is_pointer_v<T> || std::is_null_pointer_v<T> ||
                               std::input_or_output_iterator<T> || std::ranges::view<T> ||
                               (std::ranges::range<T> && std::ranges::borrowed_range<T>);
template <class T> inline constexpr bool refers<std::reference_wrapper<T>> = true;
template <class A, class B>
inline constexpr bool refers<std::pair<A, B>> =
    refers<std::remove_cv_t<A>> || refers<std::remove_cv_t<B>>;
template <class... T>
inline constexpr bool refers<std::tuple<T...>> = (refers<std::remove_cv_t<T>> || ...);
template <class T, std::size_t N>
inline constexpr bool refers<std::array<T, N>> = refers<std::remove_cv_t<T>>;

template <class T> inline constexpr bool std_array = false;
template <class T, std::size_t N> inline constexpr bool std_array<std::array<T, N>> = true;

}  // namespace detail

/// Requires that a value of T refers to memory elsewhere: a pointer, iterator, reference wrapper or
/// view, or a pair, tuple or array of them. Sent by value, it would carry only the address.
template <class T>
concept refers_to_memory = detail::refers<std::remove_cvref_t<T>>;

}  // namespace pleat
