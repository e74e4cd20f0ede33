// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tiles between the passes of a matrix, for PLEAT_TARGET.

#include <array>
#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Roots of a tile: in one that begins with result a, that of column c + l, number a + i, is
/// multiplied by w^((a + i)(c + l)) = w^(a·c) · w^(a·l) · w^(i·c) · w^(i·l): one root is looked up
/// a tile, one for each i; what depends on the lanes l is the plan's.
template <class T> class tile_roots {
 public:
  HWY_INLINE tile_roots(const transform_plan<T>& plan, std::size_t c)
      : plan_(plan), c_(c), lane_powers_(plan.lane_powers.data()) {
    for (std::size_t i = 0; i < lane_count<T>; ++i)
      store_row(full<T>(), powers(i < plan.rows ? i : 0), steps_ + i * row_numbers<T>);
  }
  /// w^(a·c) · w^(a·l); to be called for a = 0, lanes, 2·lanes ….
  HWY_INLINE pair_of<full<T>> next_tile(std::size_t a) { return powers(a); }
  /// w^(i·c) · w^(i·l).
  [[nodiscard]] HWY_INLINE pair_of<full<T>> within_tile(std::size_t i) const {
    return load_row(full<T>(), steps_ + i * row_numbers<T>);
  }

 private:
  HWY_INLINE pair_of<full<T>> powers(std::size_t k) {
    const full<T> d;
    const root w = plan_.roots(k * c_);
    const pair_of<full<T>> of_lanes{hn::LoadU(d, lane_powers_),
                                    hn::LoadU(d, lane_powers_ + lane_count<T>)};
    lane_powers_ += row_numbers<T>;
    return times<full<T>>({hn::Set(d, static_cast<T>(w.re)), hn::Set(d, static_cast<T>(w.im))},
                          of_lanes);
  }

  const transform_plan<T>& plan_;
  std::size_t c_;
  const T* lane_powers_;
  HWY_ALIGN T steps_[lane_count<T> * row_numbers<T>];
};

/// The results of columns c …, which stand in `work` as the plan's places say, times the roots.
template <class T>
HWY_INLINE void leave_tiles(const transform_plan<T>& plan, std::size_t c, const T* work,
                            bool stream, T* tiles, std::size_t tile_step) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  tile_roots<T> roots(plan, c);
  for (std::size_t a = 0; a < plan.rows; a += count) {
    const pair_of<full<T>> base = roots.next_tile(a);
    std::array<hn::Vec<full<T>>, count> re;
    std::array<hn::Vec<full<T>>, count> im;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = a + i < plan.rows ? a + i : plan.rows - 1;
      const std::size_t place = plan.columns.place[k];
      const auto w = times<full<T>>(base, roots.within_tile(k - a));
      const auto v = times<full<T>>(load_row(d, work + place * row_numbers<T>), w);
      re[i] = v.re;
      im[i] = v.im;
    }
    exchange<count>(d, re);
    exchange<count>(d, im);
    T* const tile = tiles + a / count * tile_step;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) {
      if (stream) {
        hn::Stream(re[i], d, tile + i * row_numbers<T>);
        hn::Stream(im[i], d, tile + i * row_numbers<T> + count);
      } else {
        store_row(d, pair_of<full<T>>{re[i], im[i]}, tile + i * row_numbers<T>);
      }
    }
  }
}

/// The way back: columns c … of what stands in tiles, times the same roots, in natural order.
template <class T>
HWY_INLINE void take_tiles(const transform_plan<T>& plan, std::size_t c, const T* tiles,
                           std::size_t tile_step, T* work) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  tile_roots<T> roots(plan, c);
  for (std::size_t a = 0; a < plan.rows; a += count) {
    const pair_of<full<T>> base = roots.next_tile(a);
    const T* const tile = tiles + a / count * tile_step;
    std::array<hn::Vec<full<T>>, count> re;
    std::array<hn::Vec<full<T>>, count> im;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) {
      hwy::Prefetch(tile + (count + i) * row_numbers<T>);  // of the next columns
      const pair_of<full<T>> v = load_row(d, tile + i * row_numbers<T>);
      re[i] = v.re;
      im[i] = v.im;
    }
    exchange<count>(d, re);
    exchange<count>(d, im);
    for (std::size_t i = 0; i < count && a + i < plan.rows; ++i) {
      const auto w = times<full<T>>(base, roots.within_tile(i));
      store_row(d, times<full<T>>(pair_of<full<T>>{re[i], im[i]}, w),
                work + (a + i) * row_numbers<T>);
    }
  }
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
