// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transforms of N real numbers, N known to the compiler, of one sequence in each lane; for
// PLEAT_TARGET.

#include <algorithm>
#include <array>
#include <cstddef>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>

#include "fft/butterflies.hpp"
#include "fft/circle.hpp"
#include "fft/codelets.hpp"
#include "fft/fold.hpp"
#include "fft/sequences.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
  static constexpr std::size_t read_beyond =
      ((even ? 2 * given::beyond : blocks * count - N) + N - 1) / N;
  static constexpr std::size_t left_beyond = (results::beyond + length - 1) / length;

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

  static HWY_INLINE void transform_group(const T* from, const ends<T>& how, T* to) {
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
  static HWY_NOINLINE void transform_single(const T* from, const ends<T>& how, T* to) {
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
  static HWY_NOINLINE void transform_apart(const T* from, std::size_t sequences, const ends<T>& how,
                                           T* to) {
    HWY_ALIGN T padded[(N + 2) * count + 2 * count] = {};
    HWY_ALIGN T left[2 * (length * count + count)];
    std::copy_n(from, N * sequences, padded);
    transform_group(padded, how, left);
    std::copy_n(left, 2 * length * sequences, to);
  }

  static void transform(const T* from, std::size_t sequences, const ends<T>& how, T* to) {
    std::size_t i = 0;
    for (; i + count + std::max(read_beyond, left_beyond) <= sequences; i += count)
      transform_group(from + N * i, how, to + 2 * length * i);
    for (; 4 * (sequences - i) > count; i += std::min(count, sequences - i))
      transform_apart(from + N * i, std::min(count, sequences - i), how, to + 2 * length * i);
    for (; i < sequences; ++i) transform_single(from + N * i, how, to + 2 * length * i);
  }
};

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
