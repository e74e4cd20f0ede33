// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <numeric>

#include <hwy/highway.h>

// Roots of unity of small orders, as constants.
namespace pleat::detail::fourier {

/// Sine and cosine of an angle up to π/4, by their series, as far as long double goes.
struct sine_cosine {
  long double sine, cosine;
};
constexpr sine_cosine series_of(long double angle) {
  sine_cosine sums{0, 0};
  long double term = 1;
  for (int power = 0; power < 32; power += 4) {
    sums.cosine += term;
    term *= angle / (power + 1);
    sums.sine += term;
    term *= angle / (power + 2);
    sums.cosine -= term;
    term *= angle / (power + 3);
    sums.sine -= term;
    term *= angle / (power + 4);
  }
  return sums;
}

/// e^(2πi·k/R) for k = 0 … R − 1.
template <unsigned R> struct circle {
  std::array<double, R> cosine{};
  std::array<double, R> sine{};

  constexpr circle() {
    constexpr long double pi = 3.14159265358979323846264338327950288L;
    for (unsigned k = 0; k < R; ++k) {
      const unsigned eighth = 8 * k / R;  // the angle is `within` from a multiple of π/2
      const unsigned quarter = (eighth + 1) / 2;
      const long double within = 2 * pi *
                                 (4 * static_cast<long double>(k) -
                                  static_cast<long double>(quarter) * static_cast<long double>(R)) /
                                 (4 * static_cast<long double>(R));
      const sine_cosine near = series_of(within);
      const long double s = near.sine, c = near.cosine;
      const long double cosines[] = {c, -s, -c, s};
      const long double sines[] = {s, c, -s, -c};
      cosine[k] = static_cast<double>(cosines[quarter % 4]);
      sine[k] = static_cast<double>(sines[quarter % 4]);
    }
  }
};
template <unsigned R> inline constexpr circle<R> circle_of{};
static_assert(circle_of<12>.cosine[3] == 0 && circle_of<12>.sine[9] == -1);
static_assert(circle_of<12>.sine[1] == 0.5 && circle_of<8>.sine[1] == circle_of<8>.cosine[1]);

}  // namespace pleat::detail::fourier

// Small transforms in registers, for PLEAT_TARGET.
HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T> using full = hn::ScalableTag<T>;
template <class T> constexpr std::size_t lane_count = HWY_LANES(T);
template <class T> constexpr std::size_t row_numbers = 2 * lane_count<T>;

template <class D> struct pair_of { hn::Vec<D> re, im; };

template <class D> HWY_INLINE pair_of<D> plus(pair_of<D> a, pair_of<D> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D> HWY_INLINE pair_of<D> minus(pair_of<D> a, pair_of<D> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
/// −i·a.
template <class D> HWY_INLINE pair_of<D> turned(pair_of<D> a) { return {a.im, hn::Neg(a.re)}; }
/// a ∓ i·b.
template <class D> HWY_INLINE pair_of<D> plus_turned(pair_of<D> a, pair_of<D> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class D> HWY_INLINE pair_of<D> minus_turned(pair_of<D> a, pair_of<D> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
template <class D> HWY_INLINE pair_of<D> times(pair_of<D> a, pair_of<D> b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)),
          hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}

/// v becomes its transform of R points, in natural order.
template <unsigned R, class D> HWY_INLINE void butterfly(D d, std::array<pair_of<D>, R>& v);

/// Roots of order 8 have parts of one size: they become sums, and factors of the last additions.
template <class D> HWY_INLINE void butterfly_8(D d, std::array<pair_of<D>, 8>& v) {
  const auto half = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440));
  std::array<pair_of<D>, 4> even;
  std::array<pair_of<D>, 4> odd;
  for (unsigned k = 0; k < 4; ++k) {
    even[k] = plus<D>(v[k], v[k + 4]);
    odd[k] = minus<D>(v[k], v[k + 4]);
  }
  butterfly<4>(d, even);
  const pair_of<D> a = plus_turned<D>(odd[0], odd[2]);
  const pair_of<D> b = minus_turned<D>(odd[0], odd[2]);
  const pair_of<D> p{hn::Add(odd[1].re, odd[1].im), hn::Sub(odd[1].im, odd[1].re)};
  const pair_of<D> q{hn::Sub(odd[3].im, odd[3].re), hn::Add(odd[3].re, odd[3].im)};
  const pair_of<D> c{hn::Add(p.re, q.re), hn::Sub(p.im, q.im)};
  const pair_of<D> e{hn::Sub(p.re, q.re), hn::Add(p.im, q.im)};
  v = {even[0], {hn::MulAdd(half, c.re, a.re), hn::MulAdd(half, c.im, a.im)},
       even[1], {hn::MulAdd(half, e.im, b.re), hn::NegMulAdd(half, e.re, b.im)},
       even[2], {hn::NegMulAdd(half, c.re, a.re), hn::NegMulAdd(half, c.im, a.im)},
       even[3], {hn::NegMulAdd(half, e.im, b.re), hn::MulAdd(half, e.re, b.im)}};
}

/// Mapping of points and results of A·B points to those of a matrix of A and B: without factors
/// between (Good 1958) where A and B have no divisor in common.
template <unsigned A, unsigned B> struct factors {
  static constexpr unsigned size = A * B;
  static constexpr bool coprime = std::gcd(A, B) == 1;
  static constexpr unsigned point(unsigned a, unsigned b) {
    return coprime ? (B * a + A * b) % size : B * a + b;
  }
  static constexpr unsigned result(unsigned a, unsigned b) {
    if (!coprime) return a + A * b;
    unsigned k = a;  // which leaves a by A, b by B
    while (k % B != b) k += A;
    return k;
  }
};

template <unsigned A, unsigned B, class D>
HWY_INLINE void butterfly_of_two(D d, std::array<pair_of<D>, A * B>& v) {
  using T = hn::TFromD<D>;
  using matrix = factors<A, B>;
  std::array<std::array<pair_of<D>, A>, B> columns;
  HWY_UNROLL(16)
  for (unsigned b = 0; b < B; ++b) {
    HWY_UNROLL(16)
    for (unsigned a = 0; a < A; ++a) columns[b][a] = v[matrix::point(a, b)];
    butterfly<A>(d, columns[b]);
    HWY_UNROLL(16)
    for (unsigned a = 1; a < A && !matrix::coprime && b != 0; ++a)
      columns[b][a] =
          times<D>(columns[b][a], {hn::Set(d, static_cast<T>(circle_of<A * B>.cosine[a * b])),
                                   hn::Set(d, static_cast<T>(-circle_of<A * B>.sine[a * b]))});
  }
  HWY_UNROLL(16)
  for (unsigned a = 0; a < A; ++a) {
    std::array<pair_of<D>, B> row;
    HWY_UNROLL(16)
    for (unsigned b = 0; b < B; ++b) row[b] = columns[b][a];
    butterfly<B>(d, row);
    HWY_UNROLL(16)
    for (unsigned b = 0; b < B; ++b) v[matrix::result(a, b)] = row[b];
  }
}

template <unsigned R, class D> HWY_INLINE void butterfly(D d, std::array<pair_of<D>, R>& v) {
  using T = hn::TFromD<D>;
  if constexpr (R == 1) {
    return;
  } else if constexpr (R == 2) {
    const pair_of<D> difference = minus<D>(v[0], v[1]);
    v[0] = plus<D>(v[0], v[1]);
    v[1] = difference;
  } else if constexpr (R == 4) {
    const pair_of<D> a = plus<D>(v[0], v[2]);
    const pair_of<D> b = minus<D>(v[0], v[2]);
    const pair_of<D> c = plus<D>(v[1], v[3]);
    const pair_of<D> e = minus<D>(v[1], v[3]);
    v = {plus<D>(a, c), plus_turned<D>(b, e), minus<D>(a, c), minus_turned<D>(b, e)};
  } else if constexpr (R == 8) {
    butterfly_8(d, v);
  } else if constexpr (R == 16) {
    butterfly_of_two<4, 4>(d, v);
  } else if constexpr (R % 2 == 0) {
    constexpr unsigned even = R % 4 == 0 ? 4 : 2;
    butterfly_of_two<R / even, even>(d, v);
  } else if constexpr (R % 3 == 0 && R != 3) {
    butterfly_of_two<R / 3, 3>(d, v);
  } else {  // an odd prime: results j and R − j share sums and differences
    constexpr unsigned half = R / 2;
    std::array<pair_of<D>, half> sum;
    std::array<pair_of<D>, half> difference;
    const pair_of<D> first = v[0];
    HWY_UNROLL(8)
    for (unsigned k = 0; k < half; ++k) {
      sum[k] = plus<D>(v[k + 1], v[R - 1 - k]);
      difference[k] = minus<D>(v[k + 1], v[R - 1 - k]);
      v[0] = plus<D>(v[0], sum[k]);
    }
    HWY_UNROLL(8)
    for (unsigned j = 1; j <= half; ++j) {
      const auto cosine = [&](unsigned k) {
        return hn::Set(d, static_cast<T>(circle_of<R>.cosine[j * k % R]));
      };
      const auto sine = [&](unsigned k) {
        return hn::Set(d, static_cast<T>(circle_of<R>.sine[j * k % R]));
      };
      pair_of<D> a{hn::MulAdd(cosine(1), sum[0].re, first.re),
                   hn::MulAdd(cosine(1), sum[0].im, first.im)};
      pair_of<D> b{hn::Mul(sine(1), difference[0].re), hn::Mul(sine(1), difference[0].im)};
      HWY_UNROLL(8)
      for (unsigned k = 1; k < half; ++k) {
        a = {hn::MulAdd(cosine(k + 1), sum[k].re, a.re),
             hn::MulAdd(cosine(k + 1), sum[k].im, a.im)};
        b = {hn::MulAdd(sine(k + 1), difference[k].re, b.re),
             hn::MulAdd(sine(k + 1), difference[k].im, b.im)};
      }
      v[j] = plus_turned<D>(a, b);
      v[R - j] = minus_turned<D>(a, b);
    }
  }
}

// The transform of n/2 pairs of real numbers made that of the n numbers, for PLEAT_TARGET.

/// Results k and m − k: e + f and the conjugate of e − f, where e and f are, up to factors, the sum
/// and the difference of number k and the conjugate of number m − k, f times a root of unity.
template <class D>
HWY_INLINE void fold(D d, pair_of<D>& low, pair_of<D>& high, pair_of<D> w, bool inverse) {
  using T = hn::TFromD<D>;
  pair_of<D> e{hn::Add(low.re, high.re), hn::Sub(low.im, high.im)};
  pair_of<D> f{hn::Sub(low.re, high.re), hn::Add(low.im, high.im)};
  if (inverse) {  // times i·w*
    w.im = hn::Neg(w.im);
    f = times<D>(f, w);
    f = {hn::Neg(f.im), f.re};
  } else {  // times −i·w/2
    const auto half = hn::Set(d, static_cast<T>(0.5));
    e = {hn::Mul(e.re, half), hn::Mul(e.im, half)};
    f = turned<D>(times<D>({hn::Mul(f.re, half), hn::Mul(f.im, half)}, w));
  }
  low = plus<D>(e, f);
  high = {hn::Sub(e.re, f.re), hn::Sub(f.im, e.im)};
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
