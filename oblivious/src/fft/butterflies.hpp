// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small transforms in registers, and what moves complex vectors, for PLEAT_TARGET.

#include <array>
#include <cstddef>
#include <utility>

#include <hwy/highway.h>

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
template <class D> HWY_INLINE pair_of<D> times(pair_of<D> a, pair_of<D> b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)),
          hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}

/// cos(2πk/R) and sin(2πk/R).
template <unsigned R> struct odd_roots;
template <> struct odd_roots<3> {
  static constexpr std::array<double, 3> cosine{1, -0.5, -0.5};
  static constexpr std::array<double, 3> sine{0, 0.86602540378443864676, -0.86602540378443864676};
};
template <> struct odd_roots<5> {
  static constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
  static constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
  static constexpr std::array<double, 5> cosine{1, c1, c2, c2, c1};
  static constexpr std::array<double, 5> sine{0, s1, s2, -s2, -s1};
};
template <> struct odd_roots<7> {
  static constexpr double c1 = 0.62348980185873353053, c2 = -0.22252093395631440429,
                          c3 = -0.90096886790241912624;
  static constexpr double s1 = 0.78183148246802980871, s2 = 0.97492791218182360702,
                          s3 = 0.43388373911755812048;
  static constexpr std::array<double, 7> cosine{1, c1, c2, c3, c3, c2, c1};
  static constexpr std::array<double, 7> sine{0, s1, s2, s3, -s3, -s2, -s1};
};
/// e^(−2πik/N), k < N/2, of powers of two.
template <unsigned N> struct even_roots;
template <> struct even_roots<16> {
  static constexpr double h = 0.70710678118654752440, c = 0.92387953251128675613,
                          s = 0.38268343236508977173;
  static constexpr std::array<double, 8> re{1, c, h, s, 0, -s, -h, -c};
  static constexpr std::array<double, 8> im{0, -s, -h, -c, -1, -c, -h, -s};
};

/// v becomes its transform of R points, in natural order.
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
    const pair_of<D> e = turned<D>(minus<D>(v[1], v[3]));
    v = {plus<D>(a, c), plus<D>(b, e), minus<D>(a, c), minus<D>(b, e)};
  } else if constexpr (R % 2 == 0) {
    std::array<pair_of<D>, R / 2> even;
    std::array<pair_of<D>, R / 2> odd;
    for (unsigned k = 0; k < R / 2; ++k) {
      even[k] = plus<D>(v[k], v[k + R / 2]);
      odd[k] = minus<D>(v[k], v[k + R / 2]);
    }
    if constexpr (R == 8) {
      const auto half = hn::Set(d, static_cast<T>(0.70710678118654752440));
      odd[1] = {hn::Mul(hn::Add(odd[1].re, odd[1].im), half),
                hn::Mul(hn::Sub(odd[1].im, odd[1].re), half)};
      odd[2] = turned<D>(odd[2]);
      odd[3] = {hn::Mul(hn::Sub(odd[3].im, odd[3].re), half),
                hn::Neg(hn::Mul(hn::Add(odd[3].re, odd[3].im), half))};
    } else {
      for (unsigned k = 1; k < R / 2; ++k)
        odd[k] = times<D>(odd[k], {hn::Set(d, static_cast<T>(even_roots<R>::re[k])),
                                   hn::Set(d, static_cast<T>(even_roots<R>::im[k]))});
    }
    butterfly<R / 2>(d, even);
    butterfly<R / 2>(d, odd);
    for (unsigned k = 0; k < R / 2; ++k) {
      v[2 * k] = even[k];
      v[2 * k + 1] = odd[k];
    }
  } else {  // an odd prime: results j and R − j share sums and differences
    constexpr unsigned half = R / 2;
    std::array<pair_of<D>, half> sum;
    std::array<pair_of<D>, half> difference;
    const pair_of<D> first = v[0];
    for (unsigned k = 0; k < half; ++k) {
      sum[k] = plus<D>(v[k + 1], v[R - 1 - k]);
      difference[k] = turned<D>(minus<D>(v[k + 1], v[R - 1 - k]));
      v[0] = plus<D>(v[0], sum[k]);
    }
    for (unsigned j = 1; j <= half; ++j) {
      pair_of<D> a = first;
      pair_of<D> b{hn::Zero(d), hn::Zero(d)};
      for (unsigned k = 0; k < half; ++k) {
        const unsigned e = j * (k + 1) % R;
        const auto c = hn::Set(d, static_cast<T>(odd_roots<R>::cosine[e]));
        const auto s = hn::Set(d, static_cast<T>(odd_roots<R>::sine[e]));
        a = {hn::MulAdd(c, sum[k].re, a.re), hn::MulAdd(c, sum[k].im, a.im)};
        b = {hn::MulAdd(s, difference[k].re, b.re), hn::MulAdd(s, difference[k].im, b.im)};
      }
      v[j] = plus<D>(a, b);
      v[R - j] = minus<D>(a, b);
    }
  }
}

/// Rows become columns: N vectors of N lanes, by log2 N shuffles of the whole.
template <std::size_t N, class D> HWY_INLINE void transpose(D d, std::array<hn::Vec<D>, N>& v) {
#if HWY_TARGET != HWY_SCALAR
  for (std::size_t step = 1; step < N; step *= 2) {
    std::array<hn::Vec<D>, N> next;
    for (std::size_t i = 0; i < N / 2; ++i) {
      next[i] = hn::ConcatEven(d, v[2 * i + 1], v[2 * i]);
      next[i + N / 2] = hn::ConcatOdd(d, v[2 * i + 1], v[2 * i]);
    }
    v = next;
  }
#else
  static_cast<void>(d);
  static_cast<void>(v);
#endif
}

/// A row of work memory: all real parts, then all imaginary ones.
template <class D, class T> HWY_INLINE pair_of<D> load_row(D d, const T* row) {
  return {hn::Load(d, row), hn::Load(d, row + hn::Lanes(d))};
}
template <class D, class T> HWY_INLINE void store_row(D d, pair_of<D> v, T* row) {
  hn::Store(v.re, d, row);
  hn::Store(v.im, d, row + hn::Lanes(d));
}

/// `count` complex numbers of a user's array; the other lanes are 0.
template <class D, class T>
HWY_INLINE pair_of<D> load_pairs(D d, const T* from, std::size_t count, bool inverse) {
  constexpr std::size_t lane_count = HWY_LANES(T);
  pair_of<D> v;
  if (HWY_LIKELY(count == lane_count)) {
    hn::LoadInterleaved2(d, from, v.re, v.im);
  } else {
    HWY_ALIGN T padded[2 * lane_count] = {};
    for (std::size_t i = 0; i < 2 * count; ++i) padded[i] = from[i];
    hn::LoadInterleaved2(d, padded, v.re, v.im);
  }
  if (inverse) std::swap(v.re, v.im);
  return v;
}

template <class D, class T>
HWY_INLINE void store_pairs(D d, pair_of<D> v, const ends<T>& how, std::size_t count, T* to) {
  constexpr std::size_t lane_count = HWY_LANES(T);
  const auto scale = hn::Set(d, how.scale);
  v = {hn::Mul(v.re, scale), hn::Mul(v.im, scale)};
  if (how.inverse) std::swap(v.re, v.im);
  if (HWY_LIKELY(count == lane_count && !how.stream)) {
    hn::StoreInterleaved2(v.re, v.im, d, to);
    return;
  }
  HWY_ALIGN T padded[2 * lane_count];
  hn::StoreInterleaved2(v.re, v.im, d, padded);
  if (count == lane_count) {
    hn::Stream(hn::Load(d, padded), d, to);
    hn::Stream(hn::Load(d, padded + lane_count), d, to + lane_count);
  } else {
    for (std::size_t i = 0; i < 2 * count; ++i) to[i] = padded[i];
  }
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
