// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic of a micro-kernel with vectors of PLEAT_TARGET, semiring by semiring.

#include <cstddef>
#include <type_traits>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/matmul/kernels.hpp>
#include <pleat/oblivious/semiring.hpp>

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON  // the better target is the lesser number
inline constexpr bool many_registers = true;          // 32 of them
#else
inline constexpr bool many_registers = false;  // 16
#endif

// Arithmetics. Each has: vectors: `step`, acc ⊕ a ⊗ b; `join`, a ⊕ b; `finish`, what is left to do
// to a sum; numbers: `pack`, what an element is multiplied as; `plus`; `zero`; `fused`: a step is
// one instruction.

template <class T> struct plus_times_arithmetic {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    if constexpr (std::is_floating_point_v<T>)
      return hn::MulAdd(a, b, acc);
    else
      return hn::Add(acc, hn::Mul(a, b));
  }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Add(a, b); }
  template <class V> static HWY_INLINE V finish(V sum) { return sum; }
  static HWY_INLINE T pack(T x) { return x; }
  static HWY_INLINE T plus(T a, T b) { return plus_times::plus(a, b); }
  static constexpr T zero = T{};
  static constexpr bool fused = std::is_floating_point_v<T>;
};

template <class T> struct min_plus_arithmetic {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    return hn::Min(hn::Add(a, b), acc);
  }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Min(a, b); }
  template <class V> static HWY_INLINE V finish(V sum) {
    if constexpr (std::is_floating_point_v<T>) {
      return sum;
    } else {
      const hn::DFromV<V> d;
      return hn::IfThenElse(hn::Gt(sum, hn::Set(d, farthest<T>)), hn::Set(d, zero), sum);
    }
  }
  static HWY_INLINE T pack(T x) { return settled<1>(x); }
  static HWY_INLINE T plus(T a, T b) { return min_plus::plus(a, b); }
  static constexpr T zero = min_plus::zero<T>();
  static constexpr bool fused = false;
};

/// Arithmetic of floats none of which has its sign bit set: they are in the order of their bits as
/// integers, whose minimum other pipes find than those that add (Zen 3 adds and compares floats on
/// the same).
struct unsigned_min_plus_arithmetic : min_plus_arithmetic<float> {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    const hn::DFromV<V> d;
    const hn::RebindToSigned<decltype(d)> bits;
    const auto sum = hn::BitCast(bits, hn::Add(a, b));
    return hn::BitCast(d, hn::Min(sum, hn::BitCast(bits, acc)));
  }
};

template <class T> struct max_plus_arithmetic {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    return hn::Max(hn::Add(a, b), acc);
  }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Max(a, b); }
  template <class V> static HWY_INLINE V finish(V sum) {
    if constexpr (std::is_floating_point_v<T>) {
      return sum;
    } else {
      const hn::DFromV<V> d;
      return hn::IfThenElse(hn::Lt(sum, hn::Set(d, static_cast<T>(-farthest<T>))), hn::Set(d, zero),
                            sum);
    }
  }
  static HWY_INLINE T pack(T x) { return settled<-1>(x); }
  static HWY_INLINE T plus(T a, T b) { return max_plus::plus(a, b); }
  static constexpr T zero = max_plus::zero<T>();
  static constexpr bool fused = false;
};

template <class T> struct max_min_arithmetic {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    return hn::Max(hn::Min(a, b), acc);
  }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Max(a, b); }
  template <class V> static HWY_INLINE V finish(V sum) { return sum; }
  static HWY_INLINE T pack(T x) { return x; }
  static HWY_INLINE T plus(T a, T b) { return max_min::plus(a, b); }
  static constexpr T zero = max_min::zero<T>();
  static constexpr bool fused = false;
};

template <class T> struct or_and_arithmetic {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) { return hn::OrAnd(acc, a, b); }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Or(a, b); }
  template <class V> static HWY_INLINE V finish(V sum) { return sum; }
  static HWY_INLINE T pack(T x) { return x; }
  static HWY_INLINE T plus(T a, T b) { return or_and::plus(a, b); }
  static constexpr T zero = T{};
  static constexpr bool fused = false;
};

template <algebra S, class T> struct arithmetic_of;
template <class T> struct arithmetic_of<algebra::plus_times, T> : plus_times_arithmetic<T> {};
template <class T> struct arithmetic_of<algebra::min_plus, T> : min_plus_arithmetic<T> {};
template <class T> struct arithmetic_of<algebra::max_plus, T> : max_plus_arithmetic<T> {};
template <class T> struct arithmetic_of<algebra::max_min, T> : max_min_arithmetic<T> {};
template <class T> struct arithmetic_of<algebra::or_and, T> : or_and_arithmetic<T> {};
template <algebra S, class T> using arithmetic = arithmetic_of<S, T>;

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
