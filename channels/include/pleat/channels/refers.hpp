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

/// A value of T says where something is: pointers, iterators, spans and other views, and pairs,
/// tuples and arrays of them. Sent by value, it would carry the address and not what lies there.
template <class T>
concept refers_to_memory = detail::refers<std::remove_cvref_t<T>>;

}  // namespace pleat
