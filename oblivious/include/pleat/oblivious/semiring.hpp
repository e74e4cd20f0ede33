// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <complex>
#include <concepts>
#include <limits>
#include <type_traits>

namespace pleat {

namespace detail::matmul {

template <class T> struct is_complex : std::false_type {};
template <class T> struct is_complex<std::complex<T>> : std::true_type {};
template <class T>
concept complex_number = is_complex<T>::value;

/// Integers of 16 bytes; the standard's concepts include them only if compiler extensions are
/// enabled.
__extension__ typedef __int128 long_integer;
__extension__ typedef unsigned __int128 long_unsigned;
template <class T>
concept integer =
    std::integral<T> || std::same_as<T, long_integer> || std::same_as<T, long_unsigned>;
/// Requires a number that alpha and beta may scale.
template <class T>
concept number = std::is_arithmetic_v<T> || integer<T> || complex_number<T>;
/// Requires a number type with an order, a greatest number and addition.
template <class T>
concept ordered_number = (std::is_arithmetic_v<T> || integer<T>)&&!std::same_as<T, bool> &&
                         std::numeric_limits<T>::is_specialized;

/// The unsigned type in which integers are added and multiplied; it is not promoted to a signed
/// type.
template <class T> struct wrapping_word : std::make_unsigned<T> {};
template <> struct wrapping_word<long_integer> : std::type_identity<long_unsigned> {};
template <> struct wrapping_word<long_unsigned> : std::type_identity<long_unsigned> {};
template <class T>
requires(sizeof(T) < sizeof(unsigned)) struct wrapping_word<T> : std::type_identity<unsigned> {
};

/// Wraps integers around, signed ones too: otherwise the order of additions would decide whether an
/// overflow is undefined behaviour.
template <class T, class F> constexpr T wrapping(const T& a, const T& b, F operation) {
  if constexpr (integer<T> && !std::same_as<T, bool>) {
    using word = typename wrapping_word<T>::type;
    return static_cast<T>(operation(static_cast<word>(a), static_cast<word>(b)));
  } else {
    return static_cast<T>(operation(a, b));
  }
}

/// Length that denotes that there is no path: infinity, or for integers half the greatest number,
/// so that two such lengths can be added. Integers above a quarter of the greatest number are
/// treated as unreachable.
template <class T>
inline constexpr T unreachable = std::numeric_limits<T>::has_infinity
                                     ? std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::max() / 2;
template <class T> inline constexpr T farthest = std::numeric_limits<T>::max() / 4;

/// Replaces numbers that are treated as unreachable by `unreachable`. Sign = −1 is for max_plus,
/// whose infinity is negative.
template <int Sign, class T> constexpr T settled(T x) {
  if constexpr (integer<T>) {
    if constexpr (Sign > 0)
      return x > farthest<T> ? unreachable<T> : x;
    else
      return x < -farthest<T> ? -unreachable<T> : x;
  } else {
    return x;
  }
}

}  // namespace detail::matmul

/// (+, ×), the semiring of ordinary matrix products: any arithmetic or std::complex type, and
/// user-defined types that can be added and multiplied and whose zero is T{}. Integers wrap around.
struct plus_times {
  template <std::default_initializable T> static constexpr T zero() { return T{}; }
  template <class T>
  requires requires(const T& x) { static_cast<T>(x + x); }
  static constexpr T plus(const T& a, const T& b) {
    return detail::matmul::wrapping(a, b, [](const auto& x, const auto& y) { return x + y; });
  }
  template <class T>
  requires requires(const T& x) { static_cast<T>(x * x); }
  static constexpr T times(const T& a, const T& b) {
    return detail::matmul::wrapping(a, b, [](const auto& x, const auto& y) { return x * y; });
  }
};

/// (min, +), of shortest paths: arithmetic types. zero() denotes that there is no path: infinity,
/// or half the greatest integer. In input and results, integers above a quarter of the greatest are
/// treated as zero(). No integer may be less than minus an eighth of the greatest. NaN gives
/// unspecified numbers.
struct min_plus {
  template <detail::matmul::ordered_number T> static constexpr T zero() {
    return detail::matmul::unreachable<T>;
  }
  template <detail::matmul::ordered_number T> static constexpr T plus(T a, T b) {
    return b < a ? b : a;
  }
  template <detail::matmul::ordered_number T> static constexpr T times(T a, T b) {
    return detail::matmul::settled<1>(
        static_cast<T>(detail::matmul::settled<1>(a) + detail::matmul::settled<1>(b)));
  }
};

/// (max, +), of longest or critical paths: signed arithmetic types. It is min_plus with all signs
/// reversed.
struct max_plus {
  template <detail::matmul::ordered_number T> static constexpr T zero() {
    static_assert(std::numeric_limits<T>::is_signed,
                  "max_plus needs a signed type: its zero is minus infinity");
    return static_cast<T>(-detail::matmul::unreachable<T>);
  }
  template <detail::matmul::ordered_number T> static constexpr T plus(T a, T b) {
    return a < b ? b : a;
  }
  template <detail::matmul::ordered_number T> static constexpr T times(T a, T b) {
    return detail::matmul::settled<-1>(
        static_cast<T>(detail::matmul::settled<-1>(a) + detail::matmul::settled<-1>(b)));
  }
};

/// (max, min), of widest paths: arithmetic types. The width of a path is that of its narrowest
/// edge. zero() denotes that there is no path: minus infinity, or the least number of a type
/// without infinity. Nothing is added, so all numbers are valid. NaN gives unspecified numbers.
struct max_min {
  template <detail::matmul::ordered_number T> static constexpr T zero() {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  template <detail::matmul::ordered_number T> static constexpr T plus(T a, T b) {
    return a < b ? b : a;
  }
  template <detail::matmul::ordered_number T> static constexpr T times(T a, T b) {
    return b < a ? b : a;
  }
};

/// (or, and), of reachability: bool, or any integer type, whose bits are independent.
struct or_and {
  template <std::integral T> static constexpr T zero() { return T{}; }
  template <std::integral T> static constexpr T plus(T a, T b) { return static_cast<T>(a | b); }
  template <std::integral T> static constexpr T times(T a, T b) { return static_cast<T>(a & b); }
};

namespace detail::matmul {

template <class S, class T> constexpr T zero_of() {
  if constexpr (requires { S::template zero<T>(); })
    return S::template zero<T>();
  else
    return S::zero();
}

}  // namespace detail::matmul

/// Requires a semiring that matmul multiplies over: static functions `zero()` (or a template
/// zero<T>()), `plus(a, b)` and `times(a, b)` of T, any type that can be copied. Several threads
/// call these functions at once.
///
/// Requires: plus is associative and commutative with zero() neutral; times distributes over it,
/// and gives zero() if one operand is zero().
///
/// ```cpp
/// struct most_reliable {                // paths, by the probability that all edges hold
///   static double zero() { return 0; }
///   static double plus(double a, double b) { return std::max(a, b); }
///   static double times(double a, double b) { return a * b; }
/// };
/// ```
template <class S, class T>
concept semiring = std::copyable<T> && requires(const T& x) {
  { detail::matmul::zero_of<S, T>() } -> std::convertible_to<T>;
  { S::plus(x, x) } -> std::convertible_to<T>;
  { S::times(x, x) } -> std::convertible_to<T>;
};

}  // namespace pleat
