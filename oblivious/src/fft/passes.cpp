// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/runtime/detail/watch.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "fft/direct.hpp"
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
  run_stages(plan, tile_source<T>{tiles}, work, column_sink<T>{{to, how}});
}

template <class T>
void transform_columns_of(const column_plan<T>& plan, const column_block<const T>& from,
                          const ends<T>& how, T* work, const column_block<T>& to) {
  run_stages(plan, pair_source<T>{from, how.inverse}, work, pair_sink<T>{to, how});
}

template <class T> void transform_rows_of(const column_plan<T>& plan, T* rows) {
  run_stages(plan, work_source<T>{rows}, rows, work_sink<T>{rows});
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
  PLEAT_EXPORT(lanes_##T);                                                                         \
  PLEAT_EXPORT(first_pass_##T);                                                                    \
  PLEAT_EXPORT(second_pass_##T);                                                                   \
  PLEAT_EXPORT(direct_##T);                                                                        \
  PLEAT_EXPORT(columns_##T);                                                                       \
  PLEAT_EXPORT(rows_##T);                                                                          \
  template <> std::size_t lanes<T>() { return PLEAT_DISPATCH(lanes_##T)(); }                       \
  template <>                                                                                      \
  void first_pass(const transform_plan<T>& plan, const column_block<const T>& from, std::size_t c, \
                  const ends<T>& how, T* work, T* tiles, std::size_t tile_step) {                  \
    if (!given_up()) PLEAT_DISPATCH(first_pass_##T)(plan, from, c, how, work, tiles, tile_step);   \
  }                                                                                                \
  template <>                                                                                      \
  void second_pass(const column_plan<T>& plan, const T* const* tiles, const ends<T>& how, T* work, \
                   const column_block<T>& to) {                                                    \
    if (!given_up()) PLEAT_DISPATCH(second_pass_##T)(plan, tiles, how, work, to);                  \
  }                                                                                                \
  template <>                                                                                      \
  void transform_direct(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* work, \
                        T* to) {                                                                   \
    PLEAT_DISPATCH(direct_##T)(plan, from, how, work, to);                                         \
  }                                                                                                \
  template <>                                                                                      \
  void transform_columns(const column_plan<T>& plan, const column_block<const T>& from,            \
                         const ends<T>& how, T* work, const column_block<T>& to) {                 \
    PLEAT_DISPATCH(columns_##T)(plan, from, how, work, to);                                        \
  }                                                                                                \
  template <> void transform_rows(const column_plan<T>& plan, T* rows) {                           \
    PLEAT_DISPATCH(rows_##T)(plan, rows);                                                          \
  }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

void finish_streams() { hwy::FlushStream(); }

}  // namespace pleat::detail::fourier
#endif
