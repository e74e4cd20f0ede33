// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "fft/butterflies.hpp"
#include "fft/stages.hpp"
#include "fft/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void first_pass_of(const transform_plan<T>& plan, const column_block<const T>& from, std::size_t c,
                   const ends<T>& how, T* work, T* tiles, std::size_t tile_step) {
  run_stages(plan.columns, column_source<T>{{from, how.inverse}}, work, work_sink<T>{work});
  leave_tiles(plan, c, work, how.stream, tiles, tile_step);
}

template <class T>
void second_pass_of(const column_plan<T>& plan, const T* const* tiles, const ends<T>& how, T* work,
                    const column_block<T>& to) {
  run_stages(plan, tile_source<T>{tiles}, work, pair_sink<T>{to, how});
}

template <class T>
void transform_columns_of(const column_plan<T>& plan, const column_block<const T>& from,
                          const ends<T>& how, T* work, const column_block<T>& to) {
  run_stages(plan, pair_source<T>{from, how.inverse}, work, pair_sink<T>{to, how});
}

template <class T> void transform_rows_of(const column_plan<T>& plan, T* rows) {
  run_stages(plan, work_source<T>{rows}, rows, work_sink<T>{rows});
}

template <class T>
void transform_direct_of(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* work,
                         T* to) {
  constexpr std::size_t count = lane_count<T>;
  const full<T> d;
  const column_block<const T> rows{from, count, count};
  run_stages(plan.columns, pair_source<T>{rows, how.inverse}, work, work_sink<T>{work});
  // Result k of a column is multiplied by its lane's root; then the lanes are transformed.
  const std::size_t m = plan.rows;
  for (std::size_t a = 0; a < m; a += count) {
    const std::size_t first = a + count <= m ? a : m - count;
    std::array<hn::Vec<full<T>>, count> re;
    std::array<hn::Vec<full<T>>, count> im;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = first + i;
      const auto v = times<full<T>>(
          load_row(d, work + plan.columns.place[k] * row_numbers<T>),
          pair_of<full<T>>{hn::LoadU(d, plan.twist.data() + k * row_numbers<T>),
                           hn::LoadU(d, plan.twist.data() + k * row_numbers<T> + count)});
      re[i] = v.re;
      im[i] = v.im;
    }
    transpose<count>(d, re);
    transpose<count>(d, im);
    std::array<pair_of<full<T>>, count> v;
    for (std::size_t i = 0; i < count; ++i) v[i] = {re[i], im[i]};
    butterfly<count>(d, v);
    for (std::size_t i = 0; i < count; ++i)
      store_pairs(d, v[i], how, count, to + 2 * (i * m + first));
  }
}

// Highway exports plain functions, so each kernel gets one name per type.
#define PLEAT_FFT_KERNELS(T)                                                                    \
  std::size_t lanes_##T() { return lane_count<T>; }                                             \
  void first_pass_##T(const transform_plan<T>& plan, const column_block<const T>& from,         \
                      std::size_t c, const ends<T>& how, T* work, T* tiles, std::size_t step) { \
    first_pass_of(plan, from, c, how, work, tiles, step);                                       \
  }                                                                                             \
  void second_pass_##T(const column_plan<T>& plan, const T* const* tiles, const ends<T>& how,   \
                       T* work, const column_block<T>& to) {                                    \
    second_pass_of(plan, tiles, how, work, to);                                                 \
  }                                                                                             \
  void direct_##T(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* work,    \
                  T* to) {                                                                      \
    transform_direct_of(plan, from, how, work, to);                                             \
  }                                                                                             \
  void columns_##T(const column_plan<T>& plan, const column_block<const T>& from,               \
                   const ends<T>& how, T* work, const column_block<T>& to) {                    \
    transform_columns_of(plan, from, how, work, to);                                            \
  }                                                                                             \
  void rows_##T(const column_plan<T>& plan, T* rows) { transform_rows_of(plan, rows); }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#else  // what calls them

namespace pleat::detail::fourier {

#define PLEAT_FFT_KERNELS(T)                                                                       \
  PLEAT_KERNELS(decltype(lanes<T>) lanes_##T; decltype(first_pass<T>) first_pass_##T;              \
                decltype(second_pass<T>) second_pass_##T;                                          \
                decltype(transform_direct<T>) direct_##T;                                          \
                decltype(transform_columns<T>) columns_##T; decltype(transform_rows<T>) rows_##T;) \
  HWY_EXPORT(lanes_##T);                                                                           \
  HWY_EXPORT(first_pass_##T);                                                                      \
  HWY_EXPORT(second_pass_##T);                                                                     \
  HWY_EXPORT(direct_##T);                                                                          \
  HWY_EXPORT(columns_##T);                                                                         \
  HWY_EXPORT(rows_##T);                                                                            \
  template <> std::size_t lanes<T>() { return HWY_DYNAMIC_DISPATCH(lanes_##T)(); }                 \
  template <>                                                                                      \
  void first_pass(const transform_plan<T>& plan, const column_block<const T>& from, std::size_t c, \
                  const ends<T>& how, T* work, T* tiles, std::size_t tile_step) {                  \
    HWY_DYNAMIC_DISPATCH(first_pass_##T)(plan, from, c, how, work, tiles, tile_step);              \
  }                                                                                                \
  template <>                                                                                      \
  void second_pass(const column_plan<T>& plan, const T* const* tiles, const ends<T>& how, T* work, \
                   const column_block<T>& to) {                                                    \
    HWY_DYNAMIC_DISPATCH(second_pass_##T)(plan, tiles, how, work, to);                             \
  }                                                                                                \
  template <>                                                                                      \
  void transform_direct(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* work, \
                        T* to) {                                                                   \
    HWY_DYNAMIC_DISPATCH(direct_##T)(plan, from, how, work, to);                                   \
  }                                                                                                \
  template <>                                                                                      \
  void transform_columns(const column_plan<T>& plan, const column_block<const T>& from,            \
                         const ends<T>& how, T* work, const column_block<T>& to) {                 \
    HWY_DYNAMIC_DISPATCH(columns_##T)(plan, from, how, work, to);                                  \
  }                                                                                                \
  template <> void transform_rows(const column_plan<T>& plan, T* rows) {                           \
    HWY_DYNAMIC_DISPATCH(rows_##T)(plan, rows);                                                    \
  }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

void finish_streams() { hwy::FlushStream(); }

}  // namespace pleat::detail::fourier
#endif
