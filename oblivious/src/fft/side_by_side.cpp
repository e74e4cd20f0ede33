// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/runtime/detail/watch.hpp>

#include "vector_targets.hpp"

#define PLEAT_FFT_KERNELS(T)                                                                      \
  PLEAT_KERNEL(void, transform_side_by_side, T,                                                   \
               (const column_plan<T>& plan, const T* from, std::size_t count, const mode<T>& how, \
                T* work, T* to),                                                                  \
               (plan, from, count, how, work, to), T)                                             \
  PLEAT_KERNEL(single_transform<T>, single_transform_of, T, (std::size_t n), (n), T)

#ifdef PLEAT_TARGET
#include "fft/codelets.hpp"
#include "fft/stages.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Up to W sequences of n ≥ W numbers, stage by stage.
template <class T>
void transform_group_of(const column_plan<T>& plan, const T* from, std::size_t count,
                        const mode<T>& how, T* work, T* to) {
  constexpr std::size_t width = lane_count<T>;
  const full<T> d;
  const auto begins = sequences(from, plan.size, count);
  const std::size_t numbers = plan.size * row_numbers<T>;
  constexpr std::size_t half = width * row_numbers<T> / 2;  // of the next points of a block
  // Points, rows, results and the next points: the nearest cache holds most of them, or the second.
  const std::size_t bytes = 4 * numbers * sizeof(T);
  const bool near = bytes <= std::size_t{1} << 16, fetches = bytes <= std::size_t{1} << 19;
  const T* const later = from + (near ? 2 : 1) * numbers;  // to the second cache
  for_each_block<T>(plan.size, [&](std::size_t at) {
    const std::size_t here = at * row_numbers<T>;
    if (near) fetch_to_read(from + numbers + here, width * row_numbers<T>);
    if (fetches) fetch_to_read<2>(later + here, half);
    if (near && !how.stream) fetch_to_write(to + here, width * row_numbers<T>);
    std::array<pair_of<full<T>>, width> rows;
    take_block<T>([&](std::size_t i) { return begins[i]; }, at, how.inverse, rows);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i) store_row(d, rows[i], work + (at + i) * row_numbers<T>);
  });
  run_stages(plan, work_source<T>{work}, work, work_sink<T>{work});
  const auto ends_at = sequences(to, plan.size, count);
  for_each_block<T>(plan.size, [&](std::size_t at) {
    if (fetches) fetch_to_read<2>(later + at * row_numbers<T> + half, half);
    std::array<pair_of<full<T>>, width> rows;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i)
      rows[i] = load_row(d, work + plan.place[at + i] * row_numbers<T>);
    exchange_pairs<T>(rows);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < width; ++i) {
      if (i >= count) continue;
      T* const place = ends_at[i] + 2 * at;
      if (fetches && !near && !how.stream)
        fetch_to_write(place + 4 * row_numbers<T>, row_numbers<T>);
      store_pairs(d, rows[i], how, place);
    }
  });
}

// Longer sequences are at least a vector long.
static_assert(largest_codelet + 1 >= lane_count<float>);

template <class T>
void transform_side_by_side_of(const column_plan<T>& plan, const T* from, std::size_t count,
                               mode<T> how, T* work, T* to) {
  constexpr std::size_t width = lane_count<T>;
  const std::size_t n = plan.size;
  const bool whole_vectors =
      reinterpret_cast<std::uintptr_t>(to) % (width * sizeof(T)) == 0 && (2 * n) % width == 0;
  how.stream = how.stream && (whole_vectors || n == 1);
  if (n <= largest_codelet)
    return with_codelet_size(
        n, [&](auto size) { codelet<decltype(size)::value, T>::transform(from, count, how, to); });
  for (std::size_t i = 0; i < count; i += width) {
    if (i % (64 * width) == 0 && given_up()) return;
    const std::size_t here = std::min(width, count - i);
    transform_group_of(plan, from + 2 * n * i, here, how, work, to + 2 * n * i);
  }
}

template <class T> single_transform<T> single_transform_of_of(std::size_t n) {
  if (n > largest_codelet) return nullptr;
  return with_codelet_size(n, [](auto size) -> single_transform<T> {
    return codelet<decltype(size)::value, T>::transform_single;
  });
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

PLEAT_DEFINE_KERNELS(pleat::detail::fourier, PLEAT_FFT_KERNELS(float) PLEAT_FFT_KERNELS(double))
