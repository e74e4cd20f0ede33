// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/kernels.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "fft/butterflies.hpp"
#include "fft/fold.hpp"
#include "fft/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Stores complex numbers one behind the other. GCC 12 for AArch64 does not finish compiling a loop
/// over Highway's interleaved store of one double: there a single number takes two plain stores.
template <class D, class T> HWY_INLINE void store_numbers(D d, pair_of<D> v, T* to) {
  if constexpr (HWY_ARCH_ARM && hn::MaxLanes(D()) == 1) {
    hn::StoreU(v.re, d, to);
    hn::StoreU(v.im, d, to + 1);
  } else {
    hn::StoreInterleaved2(v.re, v.im, d, to);
  }
}

template <class T>
void fold_pairs_of(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse,
                   mirrored<const T> from, mirrored<T> to) {
  const std::size_t m = plan.size / 2;
  if (first == 0 && last > 0) {  // the two results whose imaginary parts are 0
    const T a = from.low[0];
    const T b = inverse ? from.high[0] : from.low[1];
    to.low[0] = a + b;
    if (inverse) {
      to.low[1] = a - b;
    } else {
      to.low[1] = 0;
      to.high[0] = a - b;
      to.high[1] = 0;
    }
    first = 1;
    from = {from.low + 2, from.high - 2};
    to = {to.low + 2, to.high - 2};
  }
  const auto fold_at = [&](auto d, std::size_t k, std::size_t in_block, root base) {
    using D = decltype(d);
    const std::size_t count = hn::Lanes(d);
    const std::size_t low_at = 2 * (k - first);
    const std::size_t high_at = low_at + 2 * (count - 1);  // before the first one
    pair_of<D> low;
    pair_of<D> high;
    hn::LoadInterleaved2(d, from.low + low_at, low.re, low.im);
    hn::LoadInterleaved2(d, from.high - high_at, high.re, high.im);
    high = {hn::Reverse(d, high.re), hn::Reverse(d, high.im)};
    const pair_of<D> w =
        times<D>({hn::Set(d, static_cast<T>(base.re)), hn::Set(d, static_cast<T>(base.im))},
                 {hn::LoadU(d, plan.fine_re.data() + in_block),
                  hn::LoadU(d, plan.fine_im.data() + in_block)});
    fold<D>(d, low, high, w, inverse);
    store_numbers<D>(d, low, to.low + low_at);
    store_numbers<D>(d, {hn::Reverse(d, high.re), hn::Reverse(d, high.im)}, to.high - high_at);
  };
  constexpr std::size_t count = lane_count<T>;
  for (std::size_t k = first; k < last;) {
    const root base = plan.coarse[k / plan.block];
    const std::size_t start = k / plan.block * plan.block;
    const std::size_t end = std::min(last, start + plan.block);
    // Whole vectors as long as low ones and high ones do not meet.
    for (; k + count <= end && 2 * (k + count - 1) < m; k += count)
      fold_at(full<T>(), k, k - start, base);
    for (; k < end; ++k) fold_at(hn::CappedTag<T, 1>(), k, k - start, base);
  }
}

// Highway exports plain functions, so each kernel gets one name per type.
#define PLEAT_FFT_KERNELS(T)                                                                 \
  void fold_##T(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse, \
                mirrored<const T> from, mirrored<T> to) {                                    \
    fold_pairs_of(plan, first, last, inverse, from, to);                                     \
  }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#else  // what calls them

namespace pleat::detail::fourier {

#define PLEAT_FFT_KERNELS(T)                                                                   \
  PLEAT_KERNELS(decltype(fold_pairs<T>) fold_##T;)                                             \
  PLEAT_EXPORT(fold_##T);                                                                      \
  template <>                                                                                  \
  void fold_pairs(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse, \
                  mirrored<const T> from, mirrored<T> to) {                                    \
    PLEAT_DISPATCH(fold_##T)(plan, first, last, inverse, from, to);                            \
  }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

}  // namespace pleat::detail::fourier
#endif
