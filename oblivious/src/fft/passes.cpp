// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/runtime/detail/watch.hpp>

#include "vector_targets.hpp"

#define PLEAT_FFT_KERNELS(T)                                                                       \
  PLEAT_KERNEL(std::size_t, lanes, T, (), (), T)                                                   \
  PLEAT_STOPPABLE_KERNEL(                                                                          \
      first_pass, T,                                                                               \
      (const transform_plan<T>& plan, const column_block<const T>& from, std::size_t c,            \
       const mode<T>& how, T* work, T* tiles, std::size_t tile_step),                              \
      (plan, from, c, how, work, tiles, tile_step), T)                                             \
  PLEAT_STOPPABLE_KERNEL(second_pass, T,                                                           \
                         (const column_plan<T>& plan, const T* const* tiles, const mode<T>& how,   \
                          T* work, const column_block<T>& to),                                     \
                         (plan, tiles, how, work, to), T)                                          \
  PLEAT_KERNEL(void, transform_direct, T,                                                          \
               (const transform_plan<T>& plan, const T* from, const mode<T>& how, T* work, T* to), \
               (plan, from, how, work, to), T)                                                     \
  PLEAT_KERNEL(void, transform_columns, T,                                                         \
               (const column_plan<T>& plan, const column_block<const T>& from, const mode<T>& how, \
                T* work, const column_block<T>& to),                                               \
               (plan, from, how, work, to), T)                                                     \
  PLEAT_KERNEL(void, transform_rows, T, (const column_plan<T>& plan, T* rows), (plan, rows), T)

#ifdef PLEAT_TARGET
#include "fft/butterflies.hpp"
#include "fft/lanes.hpp"
#include "fft/stages.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The transform of numbers that fit the cache as a column in each of some lanes, then of the lanes
// (method::direct), for PLEAT_TARGET.

/// The end of a direct transform of L columns: the results first … of all of them, times the roots
/// of their lanes; then the lanes are transformed. `rows`: how many of these results there are.
template <std::size_t L, class T>
HWY_INLINE void transform_lanes(const transform_plan<T>& plan, std::size_t first, std::size_t rows,
                                const std::array<pair_of<full<T>>, lane_count<T>>& results,
                                const mode<T>& how, T* to) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  std::array<pair_of<full<T>>, count> all;
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < count; ++i) {
    const T* const twist = plan.twist.data() + std::min(first + i, plan.rows - 1) * row_numbers<T>;
    all[i] = times<full<T>>(results[i], load_unaligned_row(d, twist));
  }
  exchange_pairs<T>(all);
  std::array<pair_of<full<T>>, L> v;
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < L; ++i) v[i] = all[i];
  butterfly<L>(d, v);
  for (std::size_t i = 0; i < L && how.ahead != 0; ++i)
    fetch_to_write(to + how.ahead + 2 * (i * plan.rows + first), row_numbers<T>);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < L; ++i) {
    T* const place = to + 2 * (i * plan.rows + first);
    if (HWY_LIKELY(rows >= count))
      store_pairs(d, v[i], how, place);
    else
      store_some_pairs(d, v[i], how, rows, place);
  }
}

/// Transforms R rows of whole vectors, which stay in registers, or nearly.
template <unsigned R, class T>
void transform_few_rows(const transform_plan<T>& plan, const T* from, const mode<T>& how, T* to) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  std::array<pair_of<full<T>>, R> v;
  if (how.ahead != 0) fetch_to_read(from + how.ahead, R * row_numbers<T>);
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < R; ++i) v[i] = load_pairs(d, from + i * row_numbers<T>, how.inverse);
  butterfly<R>(d, v);
  HWY_UNROLL(16)
  for (std::size_t a = 0; a < R; a += count) {
    std::array<pair_of<full<T>>, count> results;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < count; ++i) results[i] = v[a + i];
    transform_lanes<count>(plan, a, count, results, how, to);
  }
}

/// Transforms the lanes of L columns, whose transforms stand in `work`; the points were `from`.
template <std::size_t L, class T>
void transform_columns_lanes(const transform_plan<T>& plan, const T* from, const mode<T>& how,
                             const T* work, T* to) {
  constexpr std::size_t count = lane_count<T>;
  if constexpr (L > 0) {
    if (plan.width() != L) return transform_columns_lanes<L - 1>(plan, from, how, work, to);
    const std::size_t m = plan.rows;
    for (std::size_t a = 0; a < m; a += count) {
      const std::size_t first = m < count ? 0 : std::min(a, m - count);
      if (how.ahead != 0) fetch_to_read<2>(from + how.ahead + 2 * L * a, 2 * L * count);
      std::array<pair_of<full<T>>, count> results;
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = plan.columns.place[std::min(first + i, m - 1)];
        results[i] = load_row(full<T>(), work + place * row_numbers<T>);
      }
      transform_lanes<L>(plan, first, m, results, how, to);
    }
  }
}

template <class T>
void transform_direct_of(const transform_plan<T>& plan, const T* from, const mode<T>& how, T* work,
                         T* to) {
  constexpr std::size_t count = lane_count<T>;
  const std::size_t m = plan.rows, columns = plan.width();
  const work_sink<T> sink{work};
  if (columns == count) {
    if constexpr (count <= 8) {
      if (m == 8) return transform_few_rows<8>(plan, from, how, to);
    }
    if (m == 16) return transform_few_rows<16>(plan, from, how, to);
    const column_block<const T> rows{from, count, count};
    run_stages(plan.columns, pair_source<T>{rows, how.inverse}, work, sink);
  } else {  // a row is taken with numbers of the next ones, which idle; the last ones by a copy
    HWY_ALIGN T last[count * row_numbers<T>] = {};
    const std::size_t whole = plan.size < count ? 0 : (plan.size - count) / columns + 1;
    for (std::size_t i = whole; i < m; ++i)
      std::copy(from + 2 * i * columns, from + 2 * plan.size, last + (i - whole) * row_numbers<T>);
    run_stages(plan.columns, overlapping_source<T>{from, 2 * columns, whole, last, how.inverse},
               work, sink);
  }
  transform_columns_lanes<count>(plan, from, how, work, to);
}

template <class T> std::size_t lanes_of() { return lane_count<T>; }

template <class T>
void first_pass_of(const transform_plan<T>& plan, const column_block<const T>& from, std::size_t c,
                   const mode<T>& how, T* work, T* tiles, std::size_t tile_step) {
  run_stages(plan.columns, column_source<T>{{from, how.inverse}}, work, work_sink<T>{work});
  leave_tiles(plan, c, work, how.stream, tiles, tile_step);
}

template <class T>
void second_pass_of(const column_plan<T>& plan, const T* const* tiles, const mode<T>& how, T* work,
                    const column_block<T>& to) {
  run_stages(plan, tile_source<T>{tiles}, work, column_sink<T>{{to, how}});
}

template <class T>
void transform_columns_of(const column_plan<T>& plan, const column_block<const T>& from,
                          const mode<T>& how, T* work, const column_block<T>& to) {
  run_stages(plan, pair_source<T>{from, how.inverse}, work, pair_sink<T>{to, how});
}

template <class T> void transform_rows_of(const column_plan<T>& plan, T* rows) {
  run_stages(plan, work_source<T>{rows}, rows, work_sink<T>{rows});
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#else
namespace pleat::detail::fourier {

void finish_streams() { hwy::FlushStream(); }

}  // namespace pleat::detail::fourier
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::fourier, PLEAT_FFT_KERNELS(float) PLEAT_FFT_KERNELS(double))
