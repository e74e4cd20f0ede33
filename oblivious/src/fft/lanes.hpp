// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"

// Order of numbers in the lanes of vectors, and exchanges between lanes, for PLEAT_TARGET.
//
// The W complex numbers of a row stand in the order 0, W/2, 1, W/2 + 1, … (plan.hpp,
// number_in_lane). Two shuffles make two vectors of pairs (re, im) a row in this order, and the
// same two restore the pairs. Transforms of columns do not depend on the order; where rows become
// columns, `exchange` takes and leaves vectors in it.

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Exchanges groups of `Distance` lanes: a gets the even groups of a and b in turn, b the odd ones.
template <std::size_t Distance, class D>
HWY_INLINE void exchange_lanes(D d, hn::Vec<D>& a, hn::Vec<D>& b) {
#if HWY_TARGET != HWY_SCALAR
  using T = hn::TFromD<D>;
  constexpr std::size_t bytes = Distance * sizeof(T);
  const hn::Vec<D> old = a;
  if constexpr (bytes == 4) {
    a = hn::OddEven(hn::DupEven(b), a);
    b = hn::OddEven(b, hn::DupOdd(old));
  } else if constexpr (bytes == 8) {
    const hn::Repartition<double, D> words;
    const auto first = hn::BitCast(words, old);
    const auto second = hn::BitCast(words, b);
    a = hn::BitCast(d, hn::InterleaveLower(words, first, second));
    b = hn::BitCast(d, hn::InterleaveUpper(words, first, second));
  } else if constexpr (2 * Distance == lane_count<T>) {
    a = hn::ConcatLowerLower(d, b, a);
    b = hn::ConcatUpperUpper(d, b, old);
  } else {
    static_assert(bytes == 16);
    a = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
    b = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(old));
  }
#else
  static_cast<void>(d);
  static_cast<void>(a);
  static_cast<void>(b);
#endif
}

/// Order of the numbers in the lanes of a vector.
enum class order { natural, of_pairs };

/// Rearranges N·W numbers, N vectors one behind the other, so that vector i holds the numbers i,
/// i + N, … (N < W: not in this order). For N = W, rows become columns. It is its own inverse.
template <std::size_t N, order Order = order::of_pairs, std::size_t Step = 1, class D>
HWY_INLINE void exchange(D d, std::array<hn::Vec<D>, N>& v) {
  if constexpr (Step < N) {
    constexpr std::size_t twice = 2 * Step == lane_count<hn::TFromD<D>> ? 1 : 2 * Step;
    constexpr std::size_t distance = Order == order::natural ? Step : twice;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < N; ++i)
      if ((i & Step) == 0) exchange_lanes<distance>(d, v[i], v[i + Step]);
    exchange<N, Order, 2 * Step>(d, v);
  }
}

/// Exchanges the real parts of N vectors, and likewise their imaginary parts. For N = W, vectors of
/// W numbers of one sequence each become rows of one number of each sequence, and vice versa.
template <class T, std::size_t N>
HWY_INLINE void exchange_pairs(std::array<pair_of<full<T>>, N>& v) {
  const full<T> d;
  std::array<hn::Vec<full<T>>, N> re;
  std::array<hn::Vec<full<T>>, N> im;
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < N; ++i) {
    re[i] = v[i].re;
    im[i] = v[i].im;
  }
  exchange<N>(d, re);
  exchange<N>(d, im);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < N; ++i) v[i] = {re[i], im[i]};
}

/// Loads or stores a row of work memory: all real parts, then all imaginary ones.
template <class D, class T> HWY_INLINE pair_of<D> load_row(D d, const T* row) {
  return {hn::Load(d, row), hn::Load(d, row + hn::Lanes(d))};
}
/// Loads a row that is aligned only as its numbers are: one of a table of a plan, or of a tile that
/// a VP of another rank may have sent.
template <class D, class T> HWY_INLINE pair_of<D> load_unaligned_row(D d, const T* row) {
  return {hn::LoadU(d, row), hn::LoadU(d, row + hn::Lanes(d))};
}
template <class D, class T> HWY_INLINE void store_row(D d, pair_of<D> v, T* row) {
  hn::Store(v.re, d, row);
  hn::Store(v.im, d, row + hn::Lanes(d));
}

/// Loads or stores as many complex numbers of a user's array as a vector has lanes: half at `low`,
/// half at `high`. An inverse transform is a forward one between two conjugations: one on loading,
/// one on storing.
template <class D, class T>
HWY_INLINE pair_of<D> load_pairs(D d, const T* low, const T* high, bool inverse) {
  pair_of<D> v{hn::LoadU(d, low), hn::LoadU(d, high)};
  exchange_lanes<1>(d, v.re, v.im);
  v.im = hn::Xor(v.im, hn::Set(d, inverse ? static_cast<T>(-0.0) : T{0}));
  return v;
}
template <class D, class T> HWY_INLINE pair_of<D> load_pairs(D d, const T* from, bool inverse) {
  return load_pairs(d, from, from + hn::Lanes(d), inverse);
}
template <class D, class T>
HWY_INLINE void store_pairs(D d, pair_of<D> v, const mode<T>& how, T* low, T* high) {
  v.re = hn::Mul(v.re, hn::Set(d, how.scale));
  v.im = hn::Mul(v.im, hn::Set(d, how.inverse ? -how.scale : how.scale));
  exchange_lanes<1>(d, v.re, v.im);
  if (how.stream) {
    hn::Stream(v.re, d, low);
    hn::Stream(v.im, d, high);
  } else {
    hn::StoreU(v.re, d, low);
    hn::StoreU(v.im, d, high);
  }
}
template <class D, class T>
HWY_INLINE void store_pairs(D d, pair_of<D> v, const mode<T>& how, T* to) {
  store_pairs(d, v, how, to, to + hn::Lanes(d));
}

/// Loads or stores only the first `count` numbers of a vector. On loading, the others are 0.
template <class D, class T>
HWY_INLINE pair_of<D> load_some_pairs(D d, const T* from, std::size_t count, bool inverse) {
  HWY_ALIGN T padded[2 * HWY_LANES(T)] = {};
  for (std::size_t i = 0; i < 2 * count; ++i) padded[i] = from[i];
  return load_pairs(d, padded, inverse);
}
template <class D, class T>
HWY_INLINE void store_some_pairs(D d, pair_of<D> v, const mode<T>& how, std::size_t count, T* to) {
  HWY_ALIGN T padded[2 * HWY_LANES(T)];
  store_pairs(d, v, {how.inverse, how.scale, false}, padded);
  for (std::size_t i = 0; i < 2 * count; ++i) to[i] = padded[i];
}

/// Prefetches the cache lines of `numbers` numbers that will soon be read, or written. Hardware
/// prefetchers do not predict them if many sequences, or rows, are accessed in turn.
template <int Locality = 3, class T>
HWY_INLINE void fetch_to_read(const T* from, std::size_t numbers) {
  constexpr std::size_t line = 64 / sizeof(T);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < numbers; i += line) __builtin_prefetch(from + i, 0, Locality);
}
template <class T> HWY_INLINE void fetch_to_write(T* to, std::size_t numbers) {
  constexpr std::size_t line = 64 / sizeof(T);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < numbers; i += line) __builtin_prefetch(to + i, 1);
}

// Tiles between the passes of a matrix, for PLEAT_TARGET.

/// Roots by which tiles are multiplied: result a + i of column c + l, in the tile from result a on,
/// by w^((a + i)(c + l)) = w^(a·c) · w^(a·l) · w^(i·c) · w^(i·l). The table of roots is read once
/// for each tile and once for each i; the factors of the lanes l are stored in the plan.
template <class T> class tile_roots {
 public:
  HWY_INLINE tile_roots(const transform_plan<T>& plan, std::size_t c)
      : plan_(plan), c_(c), lane_powers_(plan.lane_powers.data()) {
    for (std::size_t i = 0; i < lane_count<T>; ++i)
      store_row(full<T>(), powers(i < plan.rows ? i : 0), steps_ + i * row_numbers<T>);
  }
  /// Returns w^(a·c) · w^(a·l). Call it for a = 0, lanes, 2·lanes … in turn.
  HWY_INLINE pair_of<full<T>> next_tile(std::size_t a) { return powers(a); }
  /// Returns w^(i·c) · w^(i·l).
  [[nodiscard]] HWY_INLINE pair_of<full<T>> within_tile(std::size_t i) const {
    return load_row(full<T>(), steps_ + i * row_numbers<T>);
  }

 private:
  HWY_INLINE pair_of<full<T>> powers(std::size_t k) {
    const full<T> d;
    const root w = plan_.roots(k * c_);
    const pair_of<full<T>> of_lanes = load_unaligned_row(d, lane_powers_);
    lane_powers_ += row_numbers<T>;
    return times<full<T>>({hn::Set(d, static_cast<T>(w.re)), hn::Set(d, static_cast<T>(w.im))},
                          of_lanes);
  }

  const transform_plan<T>& plan_;
  std::size_t c_;
  const T* lane_powers_;
  HWY_ALIGN T steps_[lane_count<T> * row_numbers<T>];
};

/// Stores the results of columns c …, in `work` at plan.columns.place, times the roots into tiles.
template <class T>
HWY_INLINE void leave_tiles(const transform_plan<T>& plan, std::size_t c, const T* work,
                            bool stream, T* tiles, std::size_t tile_step) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  tile_roots<T> roots(plan, c);
  for (std::size_t a = 0; a < plan.rows; a += count) {
    const pair_of<full<T>> base = roots.next_tile(a);
    std::array<pair_of<full<T>>, count> v;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = a + i < plan.rows ? a + i : plan.rows - 1;
      const std::size_t place = plan.columns.place[k];
      const auto w = times<full<T>>(base, roots.within_tile(k - a));
      v[i] = times<full<T>>(load_row(d, work + place * row_numbers<T>), w);
    }
    exchange_pairs<T>(v);
    T* const tile = tiles + a / count * tile_step;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) {
      if (stream) {
        hn::Stream(v[i].re, d, tile + i * row_numbers<T>);
        hn::Stream(v[i].im, d, tile + i * row_numbers<T> + count);
      } else {
        store_row(d, v[i], tile + i * row_numbers<T>);
      }
    }
  }
}

/// Loads columns c … from tiles into `work`, in natural order, and multiplies by the same roots.
template <class T>
HWY_INLINE void take_tiles(const transform_plan<T>& plan, std::size_t c, const T* tiles,
                           std::size_t tile_step, T* work) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  tile_roots<T> roots(plan, c);
  for (std::size_t a = 0; a < plan.rows; a += count) {
    const pair_of<full<T>> base = roots.next_tile(a);
    const T* const tile = tiles + a / count * tile_step;
    std::array<pair_of<full<T>>, count> v;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) {
      hwy::Prefetch(tile + (count + i) * row_numbers<T>);  // tile of the next columns
      v[i] = load_row(d, tile + i * row_numbers<T>);
    }
    exchange_pairs<T>(v);
    for (std::size_t i = 0; i < count && a + i < plan.rows; ++i) {
      const auto w = times<full<T>>(base, roots.within_tile(i));
      store_row(d, times<full<T>>(v[i], w), work + (a + i) * row_numbers<T>);
    }
  }
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
