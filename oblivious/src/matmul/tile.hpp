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

// Arithmetic of the semirings on vectors of PLEAT_TARGET, and the micro-kernels that use it.

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::matmul::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON  // the better target is the lesser number
inline constexpr bool many_registers = true;          // 32 of them
#else
inline constexpr bool many_registers = false;  // 16
#endif

// Arithmetics of semirings. On vectors: `step`, acc ⊕ a ⊗ b; `join`, a ⊕ b; `finish`, the last
// operation on a sum. On numbers: `pack`, the conversion of an element for its panel; `plus`;
// `zero`. `fused` tells whether a step is a fused multiply-add.

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

/// Arithmetic of min_plus (Sign = 1), and of max_plus, with all signs reversed (Sign = −1).
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

/// Arithmetic of min_plus on floats whose sign bits are 0. Their order is that of their bits as
/// integers, and the minimum of integers uses other execution ports than the addition of floats (on
/// Zen 3, additions and comparisons of floats share their ports).
struct unsigned_min_plus_arithmetic : min_plus_arithmetic<float> {
  template <class V> static HWY_INLINE V step(V a, V b, V acc) {
    const hn::DFromV<V> d;
    const hn::RebindToSigned<decltype(d)> bits;
    const auto sum = hn::BitCast(bits, hn::Add(a, b));
    return hn::BitCast(d, hn::Min(sum, hn::BitCast(bits, acc)));
  }
};

// Micro-kernels for PLEAT_TARGET. Each computes a tile of the result in registers from a panel of A
// and one of B.

template <std::size_t N> using indices = std::make_index_sequence<N>;

// ------------------------------------------------------------------ columns of A

/// Column of a packed panel of A, row after row; of complex numbers, all real parts come first.
template <class T, std::size_t Height> struct packed_column {
  const T* at;
  HWY_INLINE const T& operator[](std::size_t i) const { return at[i]; }
  HWY_INLINE void next() { at += Height; }
};

/// Column of `Rows` rows of A in place, without packing.
template <class T, std::size_t Rows, std::size_t Parts> struct column_in_place {
  const T* rows[Rows];
  std::size_t p = 0;
  HWY_INLINE const T& operator[](std::size_t i) const { return rows[i % Rows][p + i / Rows]; }
  HWY_INLINE void next() { p += Parts; }
};

// ------------------------------------------------------------------ numbers

/// Updates row `Row` of the accumulators, acc ⊕ a ⊗ b: a broadcast element of A by a row of B.
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

/// Prefetches a row of the tile of C, so that it is loaded while the product is computed.
template <class T> HWY_INLINE void prefetch_row(const T* row, std::size_t width) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t j = 0; j < width; j += line) hwy::Prefetch(row + j);
  hwy::Prefetch(row + width - 1);  // the row may begin in the middle of a line
}
template <class T, std::size_t... I>
HWY_INLINE void prefetch_rows(const T* c, std::size_t leading, std::size_t width,
                              std::index_sequence<I...> /*rows*/) {
  (prefetch_row(c + I * leading, width), ...);
}

/// Tile for arithmetic P on numbers T: its size, the packing of its factors and its computation.
template <class P, class T> struct number_tile {
  using element = T;  // of the matrices
  using lane = T;     // of the panels
  static constexpr std::size_t parts = 1;
  // With 16 registers, 12 may hold sums if a step is fused; otherwise fewer, because intermediate
  // results need some. Spilling a single sum in every step takes as long as all other sums.
  static constexpr std::size_t few_rows =
      P::fused ? 6 : (std::is_integral_v<T> && sizeof(T) == 8 ? 4 : 5);
  static constexpr std::size_t rows = many_registers ? 8 : few_rows;
  static constexpr std::size_t vectors = many_registers ? 3 : 2;
  static constexpr bool may_be_in_place = P::fused;  // if P is fused, `pack` changes nothing

  static HWY_INLINE void pack(const T& x, bool /*conjugate*/, T* to, std::size_t /*width*/) {
    *to = P::pack(x);
  }
  template <class D> static HWY_INLINE hn::Vec<D> pack(D d, const T* from) {
    return P::finish(hn::LoadU(d, from));  // the same on vectors as P::pack on numbers
  }
  static HWY_INLINE void scale(T* x, const T& alpha, std::size_t /*width*/) {
    *x = plus_times::times(*x, alpha);
  }
  static HWY_INLINE T plus(const T& a, const T& b) { return P::plus(a, b); }

  /// Computes C ← A·B, or C ⊕ A·B, for `rows` rows of N vectors. a: first of `depth` columns.
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

/// Tile of min_plus on floats; `unsigned_tile` is used if all packed sign bits are 0.
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

/// Tile of plus_times on complex numbers. Columns of A and rows of B have all real parts first.
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
    // The layout of std::complex<R> is that of R[2].
    store_complex_tile(d, re, im, reinterpret_cast<R*>(c), leading, accumulate,
                       indices<rows * N>());
  }
};

/// Tile type for a semiring and an element type.
template <algebra S, class T>
struct tile_for : std::type_identity<number_tile<arithmetic<S, T>, T>> {};
template <> struct tile_for<algebra::min_plus, float> : std::type_identity<min_plus_f32_tile> {};
template <class R>
struct tile_for<algebra::plus_times, std::complex<R>> : std::type_identity<complex_tile<R>> {};
template <algebra S, class T> using tile_of = typename tile_for<S, T>::type;

}  // namespace pleat::detail::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
