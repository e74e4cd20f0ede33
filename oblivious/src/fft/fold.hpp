// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transform of n/2 pairs of real numbers made that of the n numbers, for PLEAT_TARGET.

#include <hwy/highway.h>

#include "fft/butterflies.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
