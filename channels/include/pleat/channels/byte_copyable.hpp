// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pleat {

namespace detail {

template <class T> struct copied_by_bytes : std::is_trivially_copyable<T> {};
// The standard's pairs and tuples have an operator= of their own (for references, among others), so
// they are not trivially copyable; copying their bytes is right if it is for their members.
template <class A, class B>
struct copied_by_bytes<std::pair<A, B>>
    : std::bool_constant<copied_by_bytes<A>::value && copied_by_bytes<B>::value> {};
template <class... T>
struct copied_by_bytes<std::tuple<T...>> : std::bool_constant<(copied_by_bytes<T>::value && ...)> {
};
template <class T, std::size_t N> struct copied_by_bytes<std::array<T, N>> : copied_by_bytes<T> {};

}  // namespace detail

/// Requires that a copy of the bytes of a T is a T of the same value: T is a trivially copyable
/// type, or a pair, tuple or array of such types.
template <class T>
concept byte_copyable = std::is_object_v<T> && detail::copied_by_bytes<std::remove_cv_t<T>>::value;

}  // namespace pleat
