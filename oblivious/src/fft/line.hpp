// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/strips.hpp"

namespace pleat::detail::fourier {

/// Transforms a line by all VPs, in strips:
///
///     fetch      over ranks, if numbers are folded before: from blocks to those who fold them
///     gather     over ranks, or if numbers are folded before: to strips of columns
///     passes     one superstep, two of a convolution
///     scatter    over ranks, or if results are folded: to those who fold them or want them
///     deliver    over ranks, if results are folded: to blocks
///
/// `line` says who has what: line_in_memory or line_over_ranks. Each step that takes place is a
/// superstep, in which a VP sends and receives its share of the line. In one memory the first of
/// them also has what VPs read of the user's numbers, and one behind the last what they write.
template <class T, class Line>
task<> transform_line(vp& me, const strips<T>& cut, pass_memory<T> memory, Line& line,
                      ends<T> how) {
  if constexpr (Line::over_ranks) {
    if (line.fetches()) {
      line.lend_input(me);
      co_await me.sync(0);
      line.take_input(me);
    }
  }
  line.enter(me);
  if (line.gathers()) {
    line.lend_points(me);
    co_await me.sync(0);
    line.take_points(me);
  }
  how.stream = line.streams();
  const segment all = me.all();
  const auto from = line.points(me);
  const column_block<T> to = line.results();
  if (cut.is_chirp())
    co_await transform_chirp<T>(me, all, cut.plan, cut.tiles, from, to, how, memory);
  else
    co_await transform_matrix<T>(me, all, cut.tiles, from, to, how, memory);
  if (line.scatters()) {
    line.lend_results(me);
    co_await me.sync(0);
    line.take_results(me);
  }
  line.leave(me);
  if constexpr (Line::over_ranks) {
    if (line.delivers()) {
      line.lend_output(me);
      co_await me.sync(0);
      line.take_output(me);
    }
  } else {
    co_await me.sync(0);  // results that lie with others are there
  }
}

}  // namespace pleat::detail::fourier
