// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/runtime/detail/watch.hpp>

#include "vector_targets.hpp"

#define PLEAT_FFT_KERNELS(T)                                                                 \
  PLEAT_STOPPABLE_KERNEL(                                                                    \
      chirp_first_pass, T,                                                                   \
      (const transform_plan<T>& plan, const T* chirp, const column_block<const T>& from,     \
       std::size_t c, bool inverse, T* work, T* tiles, std::size_t tile_step),               \
      (plan, chirp, from, c, inverse, work, tiles, tile_step), T)                            \
  PLEAT_STOPPABLE_KERNEL(chirp_middle_pass, T,                                               \
                         (const transform_plan<T>& plan, const T* response, T* work,         \
                          const T* const* from, T* const* to),                               \
                         (plan, response, work, from, to), T)                                \
  PLEAT_STOPPABLE_KERNEL(                                                                    \
      chirp_last_pass, T,                                                                    \
      (const transform_plan<T>& plan, const T* chirp, const T* tiles, std::size_t tile_step, \
       std::size_t c, const mode<T>& how, T* work, const column_block<T>& to),               \
      (plan, chirp, tiles, tile_step, c, how, work, to), T)

#ifdef PLEAT_TARGET
#include "fft/lanes.hpp"
#include "fft/stages.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {

/// Columns [c, c + lanes) of the numbers, as the first rows of a matrix; the rows below hold none.
template <class T> struct chirped_columns {
  const transform_plan<T>& plan;
  const T* factors;  ///< of these columns
  std::size_t c;

  [[nodiscard]] HWY_INLINE std::size_t rows() const { return plan.chirped_rows(); }
  /// Count of numbers in row i: the last one may end early.
  [[nodiscard]] HWY_INLINE std::size_t count(std::size_t i) const {
    const std::size_t columns = std::min(lane_count<T>, plan.inner->width() - c);
    const std::size_t at = i * plan.inner->width() + c;
    return at < plan.size ? std::min(columns, plan.size - at) : 0;
  }
  [[nodiscard]] HWY_INLINE pair_of<full<T>> chirp(std::size_t i) const {
    return load_unaligned_row(full<T>(), factors + i * row_numbers<T>);
  }
};

template <class T>
void chirp_first_pass_of(const transform_plan<T>& plan, const T* chirp,
                         const column_block<const T>& from, std::size_t c, bool inverse, T* work,
                         T* tiles, std::size_t tile_step) {
  const full<T> d;
  const transform_plan<T>& matrix = *plan.inner;
  const chirped_columns<T> columns{plan, chirp, c};
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    const T* const row = from.data + 2 * i * from.stride;
    hwy::Prefetch(row + row_numbers<T>);  // of the next columns
    const std::size_t count = columns.count(i);
    const auto v = count == lane_count<T> ? load_pairs(d, row, inverse)
                                          : load_some_pairs(d, row, count, inverse);
    store_row(d, times<full<T>>(v, columns.chirp(i)), work + i * row_numbers<T>);
  }
  std::fill(work + columns.rows() * row_numbers<T>, work + matrix.rows * row_numbers<T>, T{0});
  transform_rows<T>(matrix.columns, work);
  leave_tiles(matrix, c, work, false, tiles, tile_step);
}

template <class T>
void chirp_middle_pass_of(const transform_plan<T>& plan, const T* response, T* work,
                          const T* const* from, T* const* to) {
  const full<T> d;
  const transform_plan<T>& matrix = *plan.inner;
  const std::size_t width = matrix.width();
  const auto in_tiles = [](auto tiles, std::size_t i) {
    return tiles[i / lane_count<T>] + i % lane_count<T> * row_numbers<T>;
  };
  const auto transform = [&](auto tiles) {
    for (std::size_t i = 0; i < width; ++i)
      store_row(d, load_unaligned_row(d, in_tiles(tiles, i)), work + i * row_numbers<T>);
    transform_rows<T>(matrix.across, work);
  };
  const auto result = [&](std::size_t i) {
    return load_row(d, work + matrix.across.place[i] * row_numbers<T>);
  };
  transform(from);
  for (std::size_t i = 0; i < width; ++i, response += row_numbers<T>) {
    const pair_of<full<T>> v = times<full<T>>(result(i), load_unaligned_row(d, response));
    // From here to the end of the last pass parts are in each other's place: that inverts it.
    store_row(d, pair_of<full<T>>{v.im, v.re}, in_tiles(to, i));
  }
  transform(to);
  for (std::size_t i = 0; i < width; ++i) store_row(d, result(i), in_tiles(to, i));
}

template <class T>
void chirp_last_pass_of(const transform_plan<T>& plan, const T* chirp, const T* tiles,
                        std::size_t tile_step, std::size_t c, const mode<T>& how, T* work,
                        const column_block<T>& to) {
  const full<T> d;
  const transform_plan<T>& matrix = *plan.inner;
  const chirped_columns<T> columns{plan, chirp, c};
  take_tiles(matrix, c, tiles, tile_step, work);
  transform_rows<T>(matrix.columns, work);
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    const std::size_t count = columns.count(i);
    if (count == 0) return;
    const auto v = load_row(d, work + matrix.columns.place[i] * row_numbers<T>);
    const auto result = times<full<T>>({v.im, v.re}, columns.chirp(i));
    T* const row = to.data + 2 * i * to.stride;
    if (count == lane_count<T>)
      store_pairs(d, result, how, row);
    else
      store_some_pairs(d, result, how, count, row);
  }
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::fourier, PLEAT_FFT_KERNELS(float) PLEAT_FFT_KERNELS(double))
