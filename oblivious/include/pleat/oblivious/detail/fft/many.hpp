// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>

// The transform of plan.size contiguous points by one VP, without supersteps.
namespace pleat::detail::fourier {

/// Returns the size of the memory it needs, in numbers. The memory is aligned to a line.
template <class T> std::size_t alone_numbers(const transform_plan<T>& plan) noexcept {
  switch (plan.method) {
    case method::direct:
      return fourier::whole_lines<T>(
          fourier::work_numbers<T>(plan.columns.work_rows(), plan.lanes));
    case method::matrix:
      return matrix_passes<T>::numbers({plan, 1});
    case method::chirp:
      break;
  }
  return chirp_passes<T>::numbers({*plan.inner, 1});
}

/// Transforms plan.size points. Streams its results if how.stream says so, and intermediate ones if
/// no cache holds them. Requires:
/// `memory` of alone_numbers, aligned to a line; `from` may be `to`.
template <class T>
void transform_alone(const transform_plan<T>& plan, const T* from, const mode<T>& how, T* memory,
                     T* to) noexcept {
  switch (plan.method) {
    case method::direct:
      fourier::transform_direct<T>(plan, from, {how.inverse, how.scale, false, how.ahead}, memory,
                                   to);
      return;
    case method::matrix: {
      const tiling<T> tiles{plan, 1};
      matrix_passes<T> passes(tiles, 0, matrix_passes<T>::memory_of(tiles, 0, memory));
      passes.first(fourier::strip_of_matrix(from, tiles.taken_by(0)),
                   {how.inverse, 1, how.stream && fourier::is_streamed<T>(plan.size)});
      passes.slabs().take_own();
      passes.second(fourier::strip_of_matrix(to, tiles.left_by(0)), how);
      return;
    }
    case method::chirp: {
      const tiling<T> tiles{*plan.inner, 1};
      chirp_passes<T> passes(plan, tiles, 0, chirp_passes<T>::memory_of(plan, tiles, 0, memory));
      passes.first(fourier::strip_of_matrix(from, tiles.taken_by(0)), how.inverse);
      passes.take_own();
      passes.middle();
      passes.last(fourier::strip_of_matrix(to, tiles.taken_by(0)), how);
      return;
    }
  }
}

/// Transforms as above, with memory taken meanwhile. Throws: std::bad_alloc.
template <class T>
void transform_alone(const transform_plan<T>& plan, const T* from, const mode<T>& how, T* to) {
  const std::size_t numbers = fourier::alone_numbers(plan);
  constexpr std::size_t few = 1024;
  if (numbers <= few) {
    alignas(line_bytes) std::array<T, few> memory;
    fourier::transform_alone(plan, from, how, memory.data(), to);
    return;
  }
  std::vector<T> memory(numbers + line_bytes / sizeof(T));
  void* aligned = memory.data();
  std::size_t room = memory.size() * sizeof(T);
  std::align(line_bytes, numbers * sizeof(T), aligned, room);
  fourier::transform_alone(plan, from, how, static_cast<T*>(aligned), to);
}

/// Kind of the signal's numbers; its spectrum is complex.
enum class signal {
  complex,
  real_pairs,  ///< n real ones, n even: transformed as n/2 complex ones
  real_alone,  ///< n real ones, n odd: transformed as complex ones whose imaginary parts are 0
};

/// `count` transforms of one size, one behind the other.
template <class T> struct batch {
  std::shared_ptr<const transform_plan<T>> plan;  ///< of the complex transform
  const T* from;
  T* to;
  std::size_t count;
  mode<T> how;
  fourier::signal signal = signal::complex;
  std::shared_ptr<const real_plan<T>> pairs = nullptr;  ///< for real_pairs

  /// Complex numbers that are transformed.
  [[nodiscard]] std::size_t points() const noexcept { return plan->size; }
  /// Numbers (not pairs) of one signal, and of its spectrum.
  [[nodiscard]] std::size_t time_numbers() const noexcept {
    return signal == signal::real_alone ? points() : 2 * points();
  }
  [[nodiscard]] std::size_t frequency_numbers() const noexcept {
    if (signal == signal::complex) return 2 * points();
    return 2 * (time_numbers() / 2 + 1);
  }
  /// Size of the memory in which the transform takes place, in numbers; 0 if that is the result.
  [[nodiscard]] std::size_t spare_numbers() const noexcept {
    return signal == signal::real_alone ? fourier::whole_lines<T>(2 * points()) : 0;
  }

  /// Tells whether something is done to the numbers before the complex transform (enter), or after
  /// it (leave).
  [[nodiscard]] bool enters() const noexcept {
    return signal == signal::real_alone || (signal == signal::real_pairs && how.inverse);
  }
  [[nodiscard]] bool leaves() const noexcept {
    return signal == signal::real_alone || (signal == signal::real_pairs && !how.inverse);
  }

  [[nodiscard]] const T* input(std::size_t i) const noexcept {
    return from + i * (how.inverse ? frequency_numbers() : time_numbers());
  }
  [[nodiscard]] T* output(std::size_t i) const noexcept {
    return to + i * (how.inverse ? time_numbers() : frequency_numbers());
  }
  /// Memory from which transform i takes its complex numbers, and to which it writes them.
  [[nodiscard]] const T* source(std::size_t i, T* spare) const noexcept {
    return enters() ? target(i, spare) : input(i);
  }
  [[nodiscard]] T* target(std::size_t i, T* spare) const noexcept {
    return signal == signal::real_alone ? spare : output(i);
  }

  /// Numbers that share q of w changes when it enters or leaves; if the signal is real_pairs, also
  /// those as far from the end.
  [[nodiscard]] interval<> folded(std::size_t q, std::size_t w) const noexcept {
    return interval<>{0, signal == signal::real_pairs ? points() / 2 + 1 : points()}.share(q, w);
  }
  void enter(std::size_t i, T* spare, interval<> mine) const noexcept;
  void leave(std::size_t i, T* spare, interval<> mine) const noexcept;
};

/// `count` transforms of n real numbers; `from` and `to` are real or pairs, as the direction wants.
/// Requires n ≥ 1.
template <class T>
batch<T> real_batch(std::size_t n, const T* from, T* to, std::size_t count, mode<T> how) {
  if (n % 2 == 1) return {fourier::plan_for<T>(n), from, to, count, how, signal::real_alone};
  const auto pairs = fourier::real_plan_for<T>(n);
  return {pairs->half, from, to, count, how, signal::real_pairs, pairs};
}

template <class T> void batch<T>::enter(std::size_t i, T* spare, interval<> mine) const noexcept {
  const T* const x = input(i);
  if (signal == signal::real_pairs) {
    fourier::fold_pairs<T>(*pairs, mine.first, mine.last, true,
                           fourier::mirrored_at(x, mine.first, points()),
                           fourier::mirrored_at(output(i), mine.first, points()));
    return;
  }
  const std::size_t n = points();
  for (std::size_t j = mine.first; j < mine.last; ++j) {
    const bool beyond = j > n / 2;
    const T* const pair = x + 2 * (beyond ? n - j : j);
    spare[2 * j] = how.inverse ? pair[0] : x[j];
    spare[2 * j + 1] = how.inverse && j != 0 ? (beyond ? -pair[1] : pair[1]) : 0;
  }
}

template <class T> void batch<T>::leave(std::size_t i, T* spare, interval<> mine) const noexcept {
  T* const y = output(i);
  if (signal == signal::real_pairs) {
    const auto at = fourier::mirrored_at(y, mine.first, points());
    fourier::fold_pairs<T>(*pairs, mine.first, mine.last, false, {at.low, at.high}, at);
    return;
  }
  if (how.inverse) {
    for (std::size_t j = mine.first; j < mine.last; ++j) y[j] = spare[2 * j];
    return;
  }
  for (std::size_t k = mine.first; k < std::min(mine.last, points() / 2 + 1); ++k) {
    y[2 * k] = spare[2 * k];
    y[2 * k + 1] = k == 0 ? 0 : spare[2 * k + 1];
  }
}

// Many transforms of one size, one behind the other, by one VP.

/// Number of the `count` transforms that are carried out side by side, one in each lane: those that
/// fill vectors, what is left if few lanes idle, and those for which there is nothing better.
template <class T>
std::size_t count_side_by_side(const transform_plan<T>& plan, std::size_t count) noexcept {
  if (!plan.side_by_side()) return 0;
  const std::size_t left = count % plan.lanes;
  const bool few = plan.size <= largest_codelet ||
                   (plan.method == method::matrix && plan.size < plan.lanes * plan.lanes);
  const bool pays = few || 4 * left >= plan.lanes;
  return pays ? count : count - left;
}

/// Numbers of memory, aligned to a line, that the transforms of a batch need, however many.
template <class T> std::size_t sequence_numbers(const batch<T>& work) noexcept {
  const transform_plan<T>& plan = *work.plan;
  std::size_t numbers = fourier::alone_numbers(plan);
  if (plan.side_by_side()) {
    const std::size_t points = std::max(plan.size, plan.lanes);
    const std::size_t rows = std::max(work.signal == signal::complex ? points : 2 * points + 2,
                                      plan.each_lane.work_rows());
    numbers =
        std::max(numbers, fourier::whole_lines<T>(fourier::work_numbers<T>(rows, plan.lanes)));
  }
  return work.spare_numbers() + numbers;
}

/// Carries out transforms [mine.first, mine.last) of a batch. Requires: `memory` of
/// sequence_numbers, aligned to a line.
template <class T>
void transform_sequences(const batch<T>& work, interval<> mine, T* memory) noexcept {
  const transform_plan<T>& plan = *work.plan;
  T* const spare = memory;
  memory += work.spare_numbers();
  mode<T> how = work.how;
  // What is written where it was read is in a cache, unless the transform is longer than that.
  const bool near = work.from == work.to && !fourier::is_streamed<T>(work.points());
  how.stream = !work.leaves() && !near && fourier::is_streamed<T>(work.count * work.points());
  const bool reals = work.signal != signal::complex;
  const std::size_t together =
      reals && how.inverse ? 0 : fourier::count_side_by_side(plan, mine.size());
  if (together != 0) {
    const T* const from = work.input(mine.first);
    T* const to = work.output(mine.first);
    if (reals)
      fourier::transform_reals_side_by_side<T>(plan.each_lane, work.pairs.get(), from, together,
                                               how, memory, to);
    else
      fourier::transform_side_by_side<T>(plan.each_lane, from, together, how, memory, to);
    if (how.stream) finish_streams();
  }
  if (together == mine.size()) return;
  const interval<> all = work.folded(0, 1);
  // Bytes that a core's caches hold in any case, and that are transformed while others come.
  constexpr std::size_t cached = std::size_t{1} << 18, ahead = std::size_t{1} << 12;
  const std::size_t numbers = 2 * work.points();
  if (!work.enters() && 2 * mine.size() * numbers * sizeof(T) > cached)
    how.ahead = (ahead / (numbers * sizeof(T)) + 1) * numbers;
  for (std::size_t i = mine.first + together; i < mine.last; ++i) {
    if (work.enters()) work.enter(i, spare, all);
    fourier::transform_alone<T>(plan, work.source(i, spare), how, memory, work.target(i, spare));
    if (work.leaves()) work.leave(i, spare, all);
  }
}

}  // namespace pleat::detail::fourier
