// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transposition of as many sequences as a vector has lanes, one behind the other in memory, and
// rows of vectors, in which each has a lane; for PLEAT_TARGET. Lane l is that of sequence
// number_in_lane(l).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Blocks of n rows that are as many as there are lanes: block(at) for their first rows, the last
/// one moved back to end with row n, if there are so many.
template <class T, class Block> HWY_INLINE void for_each_block(std::size_t n, const Block& block) {
  const std::size_t last = n < lane_count<T> ? 0 : n - lane_count<T>;
  for (std::size_t at = 0; at < n; at += lane_count<T>) block(std::min(at, last));
}

/// Begins of sequences of n complex numbers; those that are not there are the last one again.
template <class T>
HWY_INLINE std::array<T*, lane_count<T>> sequences(T* first, std::size_t n, std::size_t count) {
  std::array<T*, lane_count<T>> all;
  for (std::size_t i = 0; i < lane_count<T>; ++i) all[i] = first + 2 * std::min(i, count - 1) * n;
  return all;
}

/// W numbers of each sequence, from number `at` on, become W rows.
template <class T, class From>
HWY_INLINE void take_block(const From& from, std::size_t at, bool inverse,
                           std::array<pair_of<full<T>>, lane_count<T>>& rows) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  std::array<hn::Vec<full<T>>, count> re;
  std::array<hn::Vec<full<T>>, count> im;
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) {
    const pair_of<full<T>> v = load_pairs(d, from(i) + 2 * at, inverse);
    re[i] = v.re;
    im[i] = v.im;
  }
  exchange<count>(d, re);
  exchange<count>(d, im);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) rows[i] = {re[i], im[i]};
}

/// W real numbers of each sequence become W rows whose imaginary parts are 0.
template <class T, class From>
HWY_INLINE void take_real_block(const From& from, std::size_t at,
                                std::array<pair_of<full<T>>, lane_count<T>>& rows) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  std::array<hn::Vec<full<T>>, count> re;
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) re[i] = hn::LoadU(d, from(number_in_lane(i, count)) + at);
  exchange<count, order::natural>(d, re);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) rows[i] = {re[i], hn::Zero(d)};
}

/// W rows become W numbers of each sequence: vector i of the result is sequence i.
template <class T> HWY_INLINE void to_sequences(std::array<pair_of<full<T>>, lane_count<T>>& rows) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  std::array<hn::Vec<full<T>>, count> re;
  std::array<hn::Vec<full<T>>, count> im;
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) {
    re[i] = rows[i].re;
    im[i] = rows[i].im;
  }
  exchange<count>(d, re);
  exchange<count>(d, im);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) rows[i] = {re[i], im[i]};
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
