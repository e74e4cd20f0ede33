// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "vector_targets.hpp"

#define PLEAT_FFT_KERNELS(T)                                                                 \
  PLEAT_KERNEL(void, transform_reals_side_by_side, T,                                        \
               (const column_plan<T>& plan, const real_plan<T>* pairs, const T* from,        \
                std::size_t count, const mode<T>& how, T* work, T* to),                      \
               (plan, pairs, from, count, how, work, to), T)                                 \
  PLEAT_KERNEL(single_transform<T>, single_real_transform_of, T, (std::size_t n), (n), T)    \
  PLEAT_KERNEL(void, fold_pairs, T,                                                          \
               (const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse, \
                mirrored<const T> from, mirrored<T> to),                                     \
               (plan, first, last, inverse, from, to), T)

#ifdef PLEAT_TARGET
#include "fft/butterflies.hpp"
#include "fft/codelets.hpp"
#include "fft/lanes.hpp"
#include "fft/stages.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Transforms of N real numbers, N known to the compiler, of one sequence in each lane; for
// PLEAT_TARGET.

/// A group of W sequences of N real numbers, in registers: N/2 pairs of them, or for odd N complex
/// numbers whose imaginary parts are 0.
template <unsigned N, class T> struct real_codelet {
  static constexpr std::size_t count = lane_count<T>;
  static constexpr bool even = N % 2 == 0;
  static constexpr unsigned points = even ? N / 2 : N;
  static constexpr unsigned length = N / 2 + 1;
  using given = codelet<points, T, true>;
  using results = codelet<length, T, true>;
  static constexpr std::size_t blocks = (N + count - 1) / count;
  /// Sequences behind the group that are touched.
  static constexpr std::size_t read_overrun =
      ((even ? 2 * given::overrun : blocks * count - N) + N - 1) / N;
  static constexpr std::size_t write_overrun = (results::overrun + length - 1) / length;

  static HWY_INLINE void take_reals(const T* from, given& group) {
    HWY_UNROLL(8)
    for (std::size_t b = 0; b < blocks; ++b) {
      std::array<pair_of<full<T>>, count> rows;
      take_real_block<T>([from](std::size_t i) { return from + i * N; }, b * count, rows);
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < count; ++i)
        if (b * count + i < points) group.v[b * count + i] = rows[i];
    }
  }

  static HWY_INLINE void transform_group(const T* from, const mode<T>& how, T* to) {
    const full<T> d;
    given group;
    if constexpr (even)
      group.take(from, false);
    else
      take_reals(from, group);
    butterfly<points>(d, group.v);
    results all;
    fold_all(d, group.v, all.v);
    all.leave(how, to);
  }

  /// The results of the complex transform become those of the real numbers.
  template <class D>
  static HWY_INLINE void fold_all(D d, const std::array<pair_of<D>, points>& x,
                                  std::array<pair_of<D>, length>& all) {
    if constexpr (even) {
      HWY_UNROLL(16)
      for (unsigned k = 0; 2 * k <= points; ++k) {
        pair_of<D> low = x[k];
        pair_of<D> high = x[k == 0 ? 0 : points - k];
        fold(d, low, high,
             {hn::Set(d, static_cast<T>(circle_of<N>.cosine[k])),
              hn::Set(d, static_cast<T>(-circle_of<N>.sine[k]))},
             false);
        all[points - k] = high;
        all[k] = low;
      }
    } else {
      HWY_UNROLL(16)
      for (unsigned k = 0; k < length; ++k) all[k] = x[k];
      all[0].im = hn::Zero(d);
    }
  }

  /// One of them, its numbers in vectors of one lane.
  static HWY_NOINLINE void transform_single(const T* from, const mode<T>& how, T* to) {
    const hn::CappedTag<T, 1> d;
    std::array<pair_of<hn::CappedTag<T, 1>>, points> x;
    HWY_UNROLL(16)
    for (unsigned i = 0; i < points; ++i) {
      if constexpr (even)
        x[i] = {hn::LoadU(d, from + 2 * i), hn::LoadU(d, from + 2 * i + 1)};
      else
        x[i] = {hn::LoadU(d, from + i), hn::Zero(d)};
    }
    butterfly<points>(d, x);
    std::array<pair_of<hn::CappedTag<T, 1>>, length> all;
    fold_all(d, x, all);
    const auto scale = hn::Set(d, how.scale);
    HWY_UNROLL(16)
    for (unsigned k = 0; k < length; ++k) {
      hn::StoreU(hn::Mul(all[k].re, scale), d, to + 2 * k);
      hn::StoreU(hn::Mul(all[k].im, scale), d, to + 2 * k + 1);
    }
  }

  /// `sequences` of them, fewer than a group or the last ones of an array, by memory with room.
  static HWY_NOINLINE void transform_apart(const T* from, std::size_t sequences, const mode<T>& how,
                                           T* to) {
    HWY_ALIGN T padded[(N + 2) * count + 2 * count] = {};
    HWY_ALIGN T left[2 * (length * count + count)];
    std::copy_n(from, N * sequences, padded);
    transform_group(padded, how, left);
    std::copy_n(left, 2 * length * sequences, to);
  }

  static void transform(const T* from, std::size_t sequences, const mode<T>& how, T* to) {
    std::size_t i = 0;
    for (; i + count + std::max(read_overrun, write_overrun) <= sequences; i += count)
      transform_group(from + N * i, how, to + 2 * length * i);
    for (; 4 * (sequences - i) > count; i += std::min(count, sequences - i))
      transform_apart(from + N * i, std::min(count, sequences - i), how, to + 2 * length * i);
    for (; i < sequences; ++i) transform_single(from + N * i, how, to + 2 * length * i);
  }
};

/// Copies sequences of fewer numbers than a vector has to where they are as long as one.
template <class T, std::size_t Width>
HWY_INLINE void pad(const std::array<const T*, lane_count<T>>& from, std::size_t numbers,
                    T (&padded)[lane_count<T>][Width]) {
  for (std::size_t i = 0; i < lane_count<T>; ++i) std::copy_n(from[i], numbers, padded[i]);
}

/// Up to W sequences of n real numbers, stage by stage: as half as many complex ones, or with
/// imaginary parts of 0.
template <class T>
void transform_real_group(const column_plan<T>& plan, const real_plan<T>* pairs, const T* from,
                          std::size_t count, const mode<T>& how, T* work, T* to) {
  constexpr std::size_t width = lane_count<T>;
  const full<T> d;
  const std::size_t m = plan.size;
  const auto row = [&](std::size_t i) { return work + i * row_numbers<T>; };
  std::array<const T*, width> begins;
  for (std::size_t i = 0; i < width; ++i)
    begins[i] = from + (pairs ? 2 : 1) * std::min(i, count - 1) * m;
  HWY_ALIGN T padded[width][row_numbers<T>] = {};
  if (m < width) {
    pad(begins, (pairs ? 2 : 1) * m, padded);
    for (std::size_t i = 0; i < width; ++i) begins[i] = padded[i];
  }
  const std::size_t given = pairs ? 2 : 1;  // numbers of a point
  const bool near = 4 * given * m * width * sizeof(T) <= std::size_t{1} << 16;
  for_each_block<T>(m, [&](std::size_t at) {
    if (near) fetch_to_read(from + given * width * (m + at), given * width * width);
    std::array<pair_of<full<T>>, width> rows;
    const auto begin = [&](std::size_t i) { return begins[i]; };
    if (pairs)
      take_block<T>(begin, at, false, rows);
    else
      take_real_block<T>(begin, at, rows);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i)
      if (at + i < m) store_row(d, rows[i], row(at + i));
  });
  run_stages(plan, work_source<T>{work}, work, work_sink<T>{work});

  const std::size_t length = pairs ? m + 1 : m / 2 + 1;
  T* const results = row(m);
  for (std::size_t k = 0; 2 * k <= m; ++k) {
    pair_of<full<T>> low = load_row(d, row(plan.place[k]));
    if (pairs) {
      pair_of<full<T>> high = load_row(d, row(plan.place[k == 0 ? 0 : m - k]));
      const root w = pairs->root_of(k);
      fold(d, low, high, {hn::Set(d, static_cast<T>(w.re)), hn::Set(d, static_cast<T>(w.im))},
           false);
      store_row(d, high, results + (m - k) * row_numbers<T>);
    } else if (k == 0) {
      low.im = hn::Zero(d);
    }
    store_row(d, low, results + k * row_numbers<T>);
  }
  const auto ends_at = sequences(to, length, count);
  for_each_block<T>(length, [&](std::size_t at) {
    if (near) fetch_to_write(to + 2 * width * (length + at), 2 * width * width);
    std::array<pair_of<full<T>>, width> rows;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i)
      rows[i] = load_row(d, results + std::min(at + i, length - 1) * row_numbers<T>);
    exchange_pairs<T>(rows);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i) {
      if (i >= count) continue;
      if (length >= width)
        store_pairs(d, rows[i], how, ends_at[i] + 2 * at);
      else
        store_some_pairs(d, rows[i], how, length, ends_at[i]);
    }
  });
}

template <class T>
void transform_reals_side_by_side_of(const column_plan<T>& plan, const real_plan<T>* pairs,
                                     const T* from, std::size_t count, mode<T> how, T* work,
                                     T* to) {
  constexpr std::size_t width = lane_count<T>;
  how.stream = false;  // n/2 + 1 results are rarely whole vectors
  const std::size_t n = pairs ? pairs->size : plan.size;
  if (n <= largest_codelet)
    return with_codelet_size(n, [&](auto size) {
      real_codelet<decltype(size)::value, T>::transform(from, count, how, to);
    });
  for (std::size_t i = 0; i < count; i += width)
    transform_real_group(plan, pairs, from + n * i, std::min(width, count - i), how, work,
                         to + 2 * (n / 2 + 1) * i);
}

template <class T> single_transform<T> single_real_transform_of_of(std::size_t n) {
  if (n > largest_codelet) return nullptr;
  return with_codelet_size(n, [](auto size) -> single_transform<T> {
    return real_codelet<decltype(size)::value, T>::transform_single;
  });
}

// The results of pairs of real numbers.

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
    const T a = from.low[0], b = inverse ? from.high[0] : from.low[1];
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
    const std::size_t count = hn::Lanes(d), low_at = 2 * (k - first);
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

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::fourier, PLEAT_FFT_KERNELS(float) PLEAT_FFT_KERNELS(double))
