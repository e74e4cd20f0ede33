// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"
#include "fft/lanes.hpp"

// Transposition of as many sequences as a vector has lanes, one behind the other in memory, and
// rows of vectors, in which each has a lane; for PLEAT_TARGET. Lane l is that of sequence
// number_in_lane(l).

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
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = load_pairs(full<T>(), from(i) + 2 * at, inverse);
  exchange_pairs<T>(rows);
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

// Transforms of R numbers, R known to the compiler, of one sequence in each lane; for PLEAT_TARGET.

/// A group of W sequences of R numbers, in registers. `Ordered`: lanes are those of the sequences
/// as in sequences above; otherwise they depend on R, which costs less.
template <unsigned R, class T, bool Ordered = false> struct codelet {
  static constexpr std::size_t count = lane_count<T>;
  /// True if the group is R vectors.
  static constexpr bool flat =
      std::has_single_bit(R) && R <= count && (!Ordered || R == 1 || R == count);
  /// One vector of pairs takes in a sequence.
  static constexpr bool halves = !Ordered && !flat && 2 * R <= count;
  /// True if the last vector of a sequence is taken, and left, with numbers of those behind it.
  static constexpr bool runs_over = !flat && R % count != 0;
  static constexpr std::size_t blocks = (R + count - 1) / count;
  /// Numbers that are touched behind those of the group.
  static constexpr std::size_t overrun = runs_over ? (halves ? count / 2 : blocks * count) - R : 0;
  /// Numbers of a group, and how far ahead lines are asked for: some whole groups.
  static constexpr std::size_t numbers = 2 * R * count;
  static constexpr std::size_t ahead = (2048 / (numbers * sizeof(T)) + 1) * numbers;
  using block = std::array<pair_of<full<T>>, count>;

  std::array<pair_of<full<T>>, R> v;

  HWY_INLINE void take(const T* from, bool inverse) {
    if constexpr (flat) {
      HWY_UNROLL(16)
      for (unsigned i = 0; i < R; ++i) v[i] = load_pairs(full<T>(), from + 2 * i * count, inverse);
      exchange_pairs<T>(v);
    } else if constexpr (halves) {
      std::array<pair_of<full<T>>, count / 2> rows;
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < count / 2; ++i)
        rows[i] = load_pairs(full<T>(), from + 4 * i * R, from + (4 * i + 2) * R, inverse);
      exchange_pairs<T>(rows);
      HWY_UNROLL(16)
      for (unsigned i = 0; i < R; ++i) v[i] = rows[i];
    } else {
      HWY_UNROLL(8)
      for (std::size_t b = 0; b < blocks; ++b) {
        block rows;
        take_block<T>([from](std::size_t i) { return from + 2 * i * R; }, b * count, inverse, rows);
        HWY_UNROLL(16)
        for (std::size_t i = 0; i < count; ++i)
          if (b * count + i < R) v[b * count + i] = rows[i];
      }
    }
  }

  HWY_INLINE void leave(const mode<T>& how, T* to) {
    if constexpr (flat) {
      exchange_pairs<T>(v);
      HWY_UNROLL(16)
      for (unsigned i = 0; i < R; ++i) store_pairs(full<T>(), v[i], how, to + 2 * i * count);
    } else if constexpr (halves) {
      std::array<pair_of<full<T>>, count / 2> rows;
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < count / 2; ++i) rows[i] = v[std::min(i, R - 1UL)];
      exchange_pairs<T>(rows);
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < count / 2; ++i)  // what runs over is overwritten by the next
        store_pairs(full<T>(), rows[i], how, to + 4 * i * R, to + (4 * i + 2) * R);
    } else {
      std::array<block, blocks> all;
      HWY_UNROLL(8)
      for (std::size_t b = 0; b < blocks; ++b) {
        HWY_UNROLL(16)
        for (std::size_t i = 0; i < count; ++i) all[b][i] = v[std::min(b * count + i, R - 1UL)];
        exchange_pairs<T>(all[b]);
      }
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < count; ++i) {
        HWY_UNROLL(8)
        for (std::size_t b = 0; b < blocks; ++b)
          store_pairs(full<T>(), all[b][i], how, to + 2 * (i * R + b * count));
      }
    }
  }

  static HWY_INLINE void transform_group(const T* from, const mode<T>& how, T* to) {
    if constexpr (blocks > 1) {
      fetch_to_read(from + ahead, numbers);
      if (!how.stream) fetch_to_write(to + ahead, numbers);
    }
    codelet group;
    group.take(from, how.inverse);
    butterfly<R>(full<T>(), group.v);
    group.leave(how, to);
  }

  /// One of them, its numbers in vectors of one lane.
  static HWY_NOINLINE void transform_single(const T* from, const mode<T>& how, T* to) {
    const hn::CappedTag<T, 1> d;
    const auto sign = hn::Set(d, how.inverse ? static_cast<T>(-0.0) : T{0});
    std::array<pair_of<hn::CappedTag<T, 1>>, R> x;
    HWY_UNROLL(16)
    for (unsigned i = 0; i < R; ++i)
      x[i] = {hn::LoadU(d, from + 2 * i), hn::Xor(hn::LoadU(d, from + 2 * i + 1), sign)};
    butterfly<R>(d, x);
    const auto scale = hn::Set(d, how.scale);
    const auto scale_im = hn::Set(d, how.inverse ? -how.scale : how.scale);
    HWY_UNROLL(16)
    for (unsigned i = 0; i < R; ++i) {
      hn::StoreU(hn::Mul(x[i].re, scale), d, to + 2 * i);
      hn::StoreU(hn::Mul(x[i].im, scale_im), d, to + 2 * i + 1);
    }
  }

  /// `sequences` of them, fewer than a group or the last ones of an array, by memory with room.
  static HWY_NOINLINE void transform_apart(const T* from, std::size_t sequences, mode<T> how,
                                           T* to) {
    HWY_ALIGN T padded[2 * (R * count + count)] = {};
    std::copy_n(from, 2 * R * sequences, padded);
    how.stream = false;
    transform_group(padded, how, padded);
    std::copy_n(padded, 2 * R * sequences, to);
  }

  /// Transforms all sequences. A group runs over into the next one, which must not have been read,
  /// or be there.
  static void transform(const T* from, std::size_t sequences, mode<T> how, T* to) {
    std::size_t i = 0;
    how.stream = how.stream && !runs_over;
    if (!runs_over || from != to) {
      for (; i + count + (overrun + R - 1) / R <= sequences; i += count)
        transform_group(from + 2 * R * i, how, to + 2 * R * i);
    }
    for (; 4 * (sequences - i) > count; i += std::min(count, sequences - i))
      transform_apart(from + 2 * R * i, std::min(count, sequences - i), how, to + 2 * R * i);
    for (; i < sequences; ++i) transform_single(from + 2 * R * i, how, to + 2 * R * i);
  }
};

/// function(std::integral_constant<unsigned, n>()), for 1 ≤ n ≤ largest_codelet.
template <unsigned N = 1, class Function>
HWY_INLINE auto with_codelet_size(std::size_t n, const Function& function) {
  if constexpr (N < largest_codelet) {
    if (n != N) return with_codelet_size<N + 1>(n, function);
  }
  return function(std::integral_constant<unsigned, N>());
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
