// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>

// Many transforms of one size, one behind the other, by one VP.
namespace pleat::detail::fourier {

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
  ends<T> how = work.how;
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
  for (std::size_t i = mine.first + together; i < mine.last; ++i) {
    if (work.enters()) work.enter(i, spare, all);
    fourier::transform_alone<T>(plan, work.source(i, spare), how, memory, work.target(i, spare));
    if (work.leaves()) work.leave(i, spare, all);
  }
}

}  // namespace pleat::detail::fourier
