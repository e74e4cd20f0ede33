// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transform of r points, r an odd prime that is only known at run time, for PLEAT_TARGET.

#include <array>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows of points in memory, not in an array of vectors: compilers copy elements of those piecemeal
/// if the index is not a constant.
template <class D, std::size_t Rows> struct point_rows {
  using T = hn::TFromD<D>;
  static constexpr std::size_t step = 2 * HWY_LANES(T);
  HWY_ALIGN T rows[Rows * step];
  HWY_INLINE pair_of<D> get(unsigned k) const { return load_row(D(), rows + k * step); }
  HWY_INLINE void set(unsigned k, pair_of<D> v) { store_row(D(), v, rows + k * step); }
};

template <class T> struct prime_radix {
  unsigned value;   ///< r
  const T* circle;  ///< cos(2πk/r), sin(2πk/r) for k = 0 … r − 1

  template <class D> struct points_of : point_rows<D, largest_prime> {
    explicit HWY_INLINE points_of(const prime_radix&) {}
    void transform(D d, const prime_radix& radix);
  };
};

/// Results j … j + N − 1, and r − j … r − (j + N − 1): a sum of cosines ± one of sines each. `sums`
/// holds, in turn, the sums of points k and r − k, and −i times their differences, k = 1 ….
template <unsigned N, class D, class T, class Sums, class Points>
HWY_INLINE void results_at(D d, const prime_radix<T>& radix, const Sums& sums, pair_of<D> first,
                           unsigned j, Points& results) {
  std::array<pair_of<D>, N> a;
  std::array<pair_of<D>, N> b;
  std::array<unsigned, N> at;  // j·k mod r
  for (unsigned i = 0; i < N; ++i) {
    a[i] = first;
    b[i] = {hn::Zero(d), hn::Zero(d)};
    at[i] = 0;
  }
  for (unsigned k = 0; k < radix.value / 2; ++k) {
    const pair_of<D> sum = sums.get(2 * k);
    const pair_of<D> difference = sums.get(2 * k + 1);
    for (unsigned i = 0; i < N; ++i) {
      at[i] += j + i;
      at[i] -= at[i] >= radix.value ? radix.value : 0;
      const auto c = hn::Set(d, radix.circle[2 * at[i]]);
      const auto s = hn::Set(d, radix.circle[2 * at[i] + 1]);
      a[i] = {hn::MulAdd(c, sum.re, a[i].re), hn::MulAdd(c, sum.im, a[i].im)};
      b[i] = {hn::MulAdd(s, difference.re, b[i].re), hn::MulAdd(s, difference.im, b[i].im)};
    }
  }
  for (unsigned i = 0; i < N; ++i) {
    results.set(j + i, plus<D>(a[i], b[i]));
    results.set(radix.value - j - i, minus<D>(a[i], b[i]));
  }
}

/// The points become their transform, in natural order. One copy for all that call it; two results
/// at a time, as many as 16 registers hold.
template <class T>
template <class D>
HWY_NOINLINE void prime_radix<T>::points_of<D>::transform(D d, const prime_radix& radix) {
  const pair_of<D> first = this->get(0);
  pair_of<D> total = first;
  const unsigned half = radix.value / 2;
  point_rows<D, largest_prime> sums;
  for (unsigned k = 0; k < half; ++k) {
    const pair_of<D> low = this->get(k + 1);
    const pair_of<D> high = this->get(radix.value - 1 - k);
    const pair_of<D> sum = plus<D>(low, high);
    total = plus<D>(total, sum);
    sums.set(2 * k, sum);
    sums.set(2 * k + 1, turned<D>(minus<D>(low, high)));
  }
  this->set(0, total);
  unsigned j = 1;
  for (; j < half; j += 2) results_at<2>(d, radix, sums, first, j, *this);
  if (j == half) results_at<1>(d, radix, sums, first, j, *this);
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
