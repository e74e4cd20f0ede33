// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <functional>
#include <type_traits>

namespace pleat {

/// States whether op(a, b) == op(b, a) for all a and b: true for the standard's arithmetic, bitwise
/// and logical operators on arithmetic types as far as they commute, and for `maximum` and
/// `minimum` of integers; false for others, which is safe. Specialise it for your own operators, or
/// set collective_options::commutative. If that is not set, operators on floating-point numbers
/// never count as commuting, because they round.
template <class Op, class T> struct commutes : std::false_type {};

/// Returns the larger of two values, and the first of equal ones.
struct maximum {
  template <class T> [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
/// Returns the smaller of two values, and the first of equal ones.
struct minimum {
  template <class T> [[nodiscard]] constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

template <class U, class T> struct commutes<std::plus<U>, T> : std::is_arithmetic<T> {};
template <class U, class T> struct commutes<std::multiplies<U>, T> : std::is_arithmetic<T> {};
template <class U, class T> struct commutes<std::bit_and<U>, T> : std::is_arithmetic<T> {};
template <class U, class T> struct commutes<std::bit_or<U>, T> : std::is_arithmetic<T> {};
template <class U, class T> struct commutes<std::bit_xor<U>, T> : std::is_arithmetic<T> {};
template <class U, class T> struct commutes<std::logical_and<U>, T> : std::is_arithmetic<T> {};
template <class U, class T> struct commutes<std::logical_or<U>, T> : std::is_arithmetic<T> {};
// Not for floating point: NaN and signed zeros make the result depend on the order of operands.
template <class T> struct commutes<maximum, T> : std::is_integral<T> {};
template <class T> struct commutes<minimum, T> : std::is_integral<T> {};

}  // namespace pleat
