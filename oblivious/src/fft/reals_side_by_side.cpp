// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include <pleat/oblivious/detail/fft/kernels.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "fft/codelets.hpp"
#include "fft/fold.hpp"
#include "fft/real_codelets.hpp"
#include "fft/sequences.hpp"
#include "fft/stages.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
                          std::size_t count, const ends<T>& how, T* work, T* to) {
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
  for_each_block<T>(m, [&](std::size_t at) {
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
    std::array<pair_of<full<T>>, width> rows;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i)
      rows[i] = load_row(d, results + std::min(at + i, length - 1) * row_numbers<T>);
    to_sequences<T>(rows);
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
void reals_side_by_side_of(const column_plan<T>& plan, const real_plan<T>* pairs, const T* from,
                           std::size_t count, ends<T> how, T* work, T* to) {
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

template <class T> single_transform<T> real_single_of(std::size_t n) {
  if (n > largest_codelet) return nullptr;
  return with_codelet_size(n, [](auto size) -> single_transform<T> {
    return real_codelet<decltype(size)::value, T>::transform_single;
  });
}

// Highway exports plain functions, so each kernel gets one name per type.
#define PLEAT_FFT_KERNELS(T)                                                           \
  void reals_##T(const column_plan<T>& plan, const real_plan<T>* pairs, const T* from, \
                 std::size_t count, const ends<T>& how, T* work, T* to) {              \
    reals_side_by_side_of(plan, pairs, from, count, how, work, to);                    \
  }                                                                                    \
  single_transform<T> real_single_##T(std::size_t n) { return real_single_of<T>(n); }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#else  // what calls them

namespace pleat::detail::fourier {

#define PLEAT_FFT_KERNELS(T)                                                                       \
  PLEAT_KERNELS(decltype(transform_reals_side_by_side<T>) reals_##T;)                              \
  PLEAT_EXPORT(reals_##T);                                                                         \
  template <>                                                                                      \
  void transform_reals_side_by_side(const column_plan<T>& plan, const real_plan<T>* pairs,         \
                                    const T* from, std::size_t count, const ends<T>& how, T* work, \
                                    T* to) {                                                       \
    PLEAT_DISPATCH(reals_##T)(plan, pairs, from, count, how, work, to);                            \
  }                                                                                                \
  PLEAT_KERNELS(decltype(single_real_transform_of<T>) real_single_##T;)                            \
  PLEAT_EXPORT(real_single_##T);                                                                   \
  template <> single_transform<T> single_real_transform_of(std::size_t n) {                        \
    return PLEAT_DISPATCH(real_single_##T)(n);                                                     \
  }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

}  // namespace pleat::detail::fourier
#endif
