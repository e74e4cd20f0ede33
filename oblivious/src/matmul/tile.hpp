// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/matmul/block.hpp>
#include <pleat/oblivious/semiring.hpp>

// Arithmetic of a micro-kernel with vectors of PLEAT_TARGET, semiring by semiring.

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

template <class S, class T> struct plain_arithmetic {
  template <class V> static HWY_INLINE V finish(V sum) { return sum; }
  static HWY_INLINE T pack(T x) { return x; }
  static HWY_INLINE T plus(T a, T b) { return S::plus(a, b); }
  static constexpr T zero = S::template zero<T>();
  static constexpr bool fused = false;
};

template <algebra S, class T> struct arithmetic;
template <class T> struct arithmetic<algebra::plus_times, T> : plain_arithmetic<plus_times, T> {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    if constexpr (std::is_floating_point_v<T>)
      return hn::MulAdd(a, b, acc);
    else
      return hn::Add(acc, hn::Mul(a, b));
  }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Add(a, b); }
  static constexpr bool fused = std::is_floating_point_v<T>;
};
template <class T> struct arithmetic<algebra::max_min, T> : plain_arithmetic<max_min, T> {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    return hn::Max(hn::Min(a, b), acc);
  }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Max(a, b); }
};
template <class T> struct arithmetic<algebra::or_and, T> : plain_arithmetic<or_and, T> {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) { return hn::OrAnd(acc, a, b); }
  template <class V> static HWY_INLINE V join(V a, V b) { return hn::Or(a, b); }
};

/// min_plus, and max_plus with all signs reversed (Sign = −1).
template <int Sign, class S, class T> struct path_arithmetic : plain_arithmetic<S, T> {
  template <class V> static HWY_INLINE V join(V a, V b) {
    if constexpr (Sign > 0)
      return hn::Min(a, b);
    else
      return hn::Max(a, b);
  }
  template <class V> static HWY_INLINE V step(V a, V b, V acc) { return join(hn::Add(a, b), acc); }
  template <class V> static HWY_INLINE V finish(V sum) {
    if constexpr (std::is_floating_point_v<T>) {
      return sum;
    } else {
      const hn::DFromV<V> d;
      const auto zeros = hn::Set(d, path_arithmetic::zero);
      if constexpr (Sign > 0)
        return hn::IfThenElse(hn::Gt(sum, hn::Set(d, farthest<T>)), zeros, sum);
      else
        return hn::IfThenElse(hn::Lt(sum, hn::Set(d, static_cast<T>(-farthest<T>))), zeros, sum);
    }
  }
  static HWY_INLINE T pack(T x) { return settled<Sign>(x); }
};
template <class T> struct arithmetic<algebra::min_plus, T> : path_arithmetic<1, min_plus, T> {};
template <class T> struct arithmetic<algebra::max_plus, T> : path_arithmetic<-1, max_plus, T> {};
template <class T> using min_plus_arithmetic = arithmetic<algebra::min_plus, T>;

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

// Micro-kernels, for PLEAT_TARGET: a tile of the result, computed in registers from a panel of A
// and one of B.

template <std::size_t N> using indices = std::make_index_sequence<N>;

// ------------------------------------------------------------------ columns of A

/// A column of a packed panel of A: its rows, for complex numbers first all real parts.
template <class T, std::size_t Height> struct packed_column {
  const T* at;
  HWY_INLINE const T& operator[](std::size_t i) const { return at[i]; }
  HWY_INLINE void next() { at += Height; }
};

/// Column of as many rows of A where they lie.
template <class T, std::size_t Rows, std::size_t Parts> struct column_in_place {
  const T* rows[Rows];
  std::size_t p = 0;
  HWY_INLINE const T& operator[](std::size_t i) const { return rows[i % Rows][p + i / Rows]; }
  HWY_INLINE void next() { p += Parts; }
};

// ------------------------------------------------------------------ numbers

/// Row `Row` of the accumulators: acc ⊕ a ⊗ b, one broadcast element of A by a row of B.
template <class P, std::size_t Row, class V, std::size_t M, std::size_t N, class A,
          std::size_t... J>
HWY_INLINE void step_row(V (&acc)[M][N], const V (&b)[N], const A& a,
                         std::index_sequence<J...> /*vectors*/) {
  const V x = hn::Set(hn::DFromV<V>(), a[Row]);
  ((acc[Row][J] = P::step(x, b[J], acc[Row][J])), ...);
}
template <class P, class D, class V, std::size_t M, std::size_t N, class A, class T,
          std::size_t... I, std::size_t... J>
HWY_INLINE void step(D d, V (&acc)[M][N], const A& a, const T* b,
                     std::index_sequence<I...> /*rows*/, std::index_sequence<J...> vectors) {
  const V row[N] = {hn::LoadU(d, b + J * hn::MaxLanes(d))...};
  (step_row<P, I>(acc, row, a, vectors), ...);
}
template <class P, std::size_t Row, class D, class V, std::size_t M, std::size_t N, class T,
          std::size_t... J>
HWY_INLINE void store_row(D d, const V (&acc)[M][N], T* c, bool accumulate,
                          std::index_sequence<J...> /*vectors*/) {
  constexpr std::size_t lanes = hn::MaxLanes(d);
  if (accumulate) {
    (hn::StoreU(P::join(hn::LoadU(d, c + J * lanes), P::finish(acc[Row][J])), d, c + J * lanes),
     ...);
  } else {
    (hn::StoreU(P::finish(acc[Row][J]), d, c + J * lanes), ...);
  }
}
template <class P, class D, class V, std::size_t M, std::size_t N, class T, std::size_t... I>
HWY_INLINE void store(D d, const V (&acc)[M][N], T* c, std::size_t leading, bool accumulate,
                      std::index_sequence<I...> /*rows*/) {
  (store_row<P, I>(d, acc, c + I * leading, accumulate, indices<N>()), ...);
}
template <class V, std::size_t M, std::size_t N, std::size_t... I>
HWY_INLINE void fill(V (&acc)[M][N], V value, std::index_sequence<I...> /*elements*/) {
  ((acc[I / N][I % N] = value), ...);
}

/// Prefetches a row of the tile of C, which is on its way while the product is computed.
template <class T> HWY_INLINE void prefetch_row(const T* row, std::size_t width) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t j = 0; j < width; j += line) hwy::Prefetch(row + j);
  hwy::Prefetch(row + width - 1);  // it may begin in the middle of a line
}
template <class T, std::size_t... I>
HWY_INLINE void prefetch_rows(const T* c, std::size_t leading, std::size_t width,
                              std::index_sequence<I...> /*rows*/) {
  (prefetch_row(c + I * leading, width), ...);
}

/// One arithmetic on numbers of a type: which tiles it likes, and how to compute one.
template <class P, class T> struct number_tile {
  using element = T;  // of the matrices
  using lane = T;     // of the panels
  static constexpr std::size_t parts = 1;
  // Of 16 registers 12 may hold sums if a step needs none for what is between its operations. One
  // sum that goes to memory and back in every step takes as long as all others together.
  static constexpr std::size_t few_rows =
      P::fused ? 6 : (std::is_integral_v<T> && sizeof(T) == 8 ? 4 : 5);
  static constexpr std::size_t rows = many_registers ? 8 : few_rows;
  static constexpr std::size_t vectors = many_registers ? 3 : 2;
  static constexpr bool may_be_in_place = P::fused;  // whose `pack` changes nothing

  static HWY_INLINE void pack(const T& x, bool /*conjugate*/, T* to, std::size_t /*width*/) {
    *to = P::pack(x);
  }
  template <class D> static HWY_INLINE hn::Vec<D> pack(D d, const T* from) {
    return P::finish(hn::LoadU(d, from));  // does to vectors what P::pack does to numbers
  }
  static HWY_INLINE void scale(T* x, const T& alpha, std::size_t /*width*/) {
    *x = plus_times::times(*x, alpha);
  }
  static HWY_INLINE T plus(const T& a, const T& b) { return P::plus(a, b); }

  /// C ← A·B, or C ⊕ A·B, for `rows` × (N vectors), panels of `depth`. a: the first column.
  template <std::size_t N, class Column>
  static void compute(std::size_t depth, Column a, const T* b, T* c, std::size_t leading,
                      bool accumulate) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    V acc[rows][N];
    fill(acc, hn::Set(d, P::zero), indices<rows * N>());
    if (accumulate) prefetch_rows(c, leading, N * hn::MaxLanes(d), indices<rows>());
    for (std::size_t p = 0; p < depth; ++p) {
      step<P>(d, acc, a, b, indices<rows>(), indices<N>());
      a.next();
      b += N * hn::MaxLanes(d);
    }
    store<P>(d, acc, c, leading, accumulate, indices<rows>());
  }
};

/// (min, +) of floats, and what computes it where nothing packed has its sign bit set.
struct min_plus_f32_tile : number_tile<min_plus_arithmetic<float>, float> {
  using unsigned_tile = number_tile<unsigned_min_plus_arithmetic, float>;
};

// ------------------------------------------------------------------ complex numbers

template <std::size_t Row, class V, std::size_t M, std::size_t N, class A, std::size_t... J>
HWY_INLINE void step_complex_row(V (&re)[M][N], V (&im)[M][N], const V (&b_re)[N],
                                 const V (&b_im)[N], const A& a,
                                 std::index_sequence<J...> /*vectors*/) {
  const hn::DFromV<V> d;
  const V x = hn::Set(d, a[Row]);
  const V y = hn::Set(d, a[M + Row]);
  ((re[Row][J] = hn::MulAdd(x, b_re[J], re[Row][J])), ...);
  ((im[Row][J] = hn::MulAdd(x, b_im[J], im[Row][J])), ...);
  ((re[Row][J] = hn::NegMulAdd(y, b_im[J], re[Row][J])), ...);
  ((im[Row][J] = hn::MulAdd(y, b_re[J], im[Row][J])), ...);
}
template <class D, class V, std::size_t M, std::size_t N, class A, class T, std::size_t... I,
          std::size_t... J>
HWY_INLINE void step_complex(D d, V (&re)[M][N], V (&im)[M][N], const A& a, const T* b,
                             std::index_sequence<I...> /*rows*/,
                             std::index_sequence<J...> vectors) {
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const V b_re[N] = {hn::LoadU(d, b + J * lanes)...};
  const V b_im[N] = {hn::LoadU(d, b + (N + J) * lanes)...};
  (step_complex_row<I>(re, im, b_re, b_im, a, vectors), ...);
}
template <class D, class V, class T>
HWY_INLINE void store_complex(D d, V re, V im, T* c, bool accumulate) {
  if (accumulate) {
    V old_re, old_im;
    hn::LoadInterleaved2(d, c, old_re, old_im);
    re = hn::Add(old_re, re);
    im = hn::Add(old_im, im);
  }
  hn::StoreInterleaved2(re, im, d, c);
}
template <class D, class V, std::size_t M, std::size_t N, class T, std::size_t... I>
HWY_INLINE void store_complex_tile(D d, const V (&re)[M][N], const V (&im)[M][N], T* c,
                                   std::size_t leading, bool accumulate,
                                   std::index_sequence<I...> /*elements*/) {
  (store_complex(d, re[I / N][I % N], im[I / N][I % N],
                 c + I / N * 2 * leading + I % N * 2 * hn::MaxLanes(d), accumulate),
   ...);
}

/// plus_times of complex numbers: panels hold the real parts of a row, then the imaginary ones.
template <class R> struct complex_tile {
  using element = std::complex<R>;
  using lane = R;
  static constexpr std::size_t parts = 2;
  static constexpr std::size_t rows = 6;
  static constexpr std::size_t vectors = many_registers ? 2 : 1;
  static constexpr bool may_be_in_place = true;

  static HWY_INLINE void pack(const element& z, bool conjugate, R* to, std::size_t width) {
    to[0] = z.real();
    to[width] = conjugate ? -z.imag() : z.imag();
  }
  template <class D>
  static HWY_INLINE void pack(D d, const element* from, bool conjugate, hn::Vec<D>& re,
                              hn::Vec<D>& im) {
    hn::LoadInterleaved2(d, reinterpret_cast<const R*>(from), re, im);
    if (conjugate) im = hn::Neg(im);
  }
  static HWY_INLINE void scale(R* x, const element& alpha, std::size_t width) {
    const R re = x[0];
    const R im = x[width];
    x[0] = re * alpha.real() - im * alpha.imag();
    x[width] = re * alpha.imag() + im * alpha.real();
  }
  static HWY_INLINE element plus(const element& a, const element& b) { return a + b; }

  template <std::size_t N, class Column>
  static void compute(std::size_t depth, Column a, const R* b, element* c, std::size_t leading,
                      bool accumulate) {
    const hn::ScalableTag<R> d;
    using V = hn::Vec<decltype(d)>;
    V re[rows][N], im[rows][N];
    fill(re, hn::Zero(d), indices<rows * N>());
    fill(im, hn::Zero(d), indices<rows * N>());
    if (accumulate) prefetch_rows(c, leading, N * hn::MaxLanes(d), indices<rows>());
    for (std::size_t p = 0; p < depth; ++p) {
      step_complex(d, re, im, a, b, indices<rows>(), indices<N>());
      a.next();
      b += 2 * N * hn::MaxLanes(d);
    }
    // std::complex is an array of its two parts.
    store_complex_tile(d, re, im, reinterpret_cast<R*>(c), leading, accumulate,
                       indices<rows * N>());
  }
};

/// The tile of a semiring and a type.
template <algebra S, class T>
struct tile_for : std::type_identity<number_tile<arithmetic<S, T>, T>> {};
template <> struct tile_for<algebra::min_plus, float> : std::type_identity<min_plus_f32_tile> {};
template <class R>
struct tile_for<algebra::plus_times, std::complex<R>> : std::type_identity<complex_tile<R>> {};
template <algebra S, class T> using tile_of = typename tile_for<S, T>::type;

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
