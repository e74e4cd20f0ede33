// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stages of a column_plan, for PLEAT_TARGET: rows of vectors come from a source, are divided by
// one radix after the other, and go to a sink.

#include <array>
#include <cstddef>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"
#include "fft/lanes.hpp"
#include "fft/prime_stages.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The radix of a stage, known to the compiler, and its points, which it keeps in registers; the
/// other kinds are prime_radix and convolved_radix.
template <unsigned R> struct fixed_radix {
  static constexpr unsigned value = R;
  template <class D> struct points_of {
    std::array<pair_of<D>, R> v;
    explicit HWY_INLINE points_of(fixed_radix) {}
    HWY_INLINE pair_of<D> get(unsigned k) const { return v[k]; }
    HWY_INLINE void set(unsigned k, pair_of<D> number) { v[k] = number; }
    HWY_INLINE void transform(D d, fixed_radix) { butterfly<R>(d, v); }
  };
};

/// One stage of a block of m·r rows: row p + k·m of `source` takes part in butterfly p.
/// Sources and sinks are copies, here and below: stores of vectors may, as far as the compiler
/// knows, change whatever is in memory.
template <class Radix, class T, class Source>
HWY_INLINE void divide(const Radix& radix, const Source source, std::size_t m, const T* twiddles,
                       T* block) {
  const full<T> d;
  for (std::size_t p = 0; p < m; ++p) {
    typename Radix::template points_of<full<T>> v(radix);
    HWY_UNROLL(8)
    for (unsigned k = 0; k < radix.value; ++k) v.set(k, source.row(p + k * m));
    v.transform(d, radix);
    store_row(d, v.get(0), block + p * row_numbers<T>);
    HWY_UNROLL(8)
    for (unsigned k = 1; k < radix.value; ++k) {
      const pair_of<full<T>> w{hn::Set(d, twiddles[2 * k - 2]), hn::Set(d, twiddles[2 * k - 1])};
      store_row(d, times<full<T>>(v.get(k), w), block + (p + k * m) * row_numbers<T>);
    }
    twiddles += 2 * (radix.value - 1);
  }
}

/// The last stage, of blocks of r rows.
template <class Radix, class T, class Sink>
HWY_INLINE void conclude(const Radix& radix, const column_plan<T>& plan, const T* block,
                         std::size_t first, std::size_t blocks, const Sink sink) {
  const full<T> d;
  const unsigned r = radix.value;
  const std::size_t step = plan.size / r;
  for (std::size_t b = 0; b < blocks; ++b) {
    typename Radix::template points_of<full<T>> v(radix);
    HWY_UNROLL(8)
    for (unsigned k = 0; k < r; ++k) v.set(k, load_row(d, block + (b * r + k) * row_numbers<T>));
    v.transform(d, radix);
    const std::size_t at = first + b * r;
    HWY_UNROLL(8)
    for (unsigned k = 0; k < r; ++k) sink.put(plan.last_at[at / r] + k * step, at + k, v.get(k));
  }
}

/// function(radix) for that of a stage. `rows`: all of the plan's, and the memory behind them.
template <class T, class Function>
HWY_INLINE void with_radix(const column_plan<T>& plan, const typename column_plan<T>::stage& stage,
                           T* rows, const Function& function) {
  switch (stage.radix) {
    case 2:
      return function(fixed_radix<2>());
    case 3:
      return function(fixed_radix<3>());
    case 4:
      return function(fixed_radix<4>());
    case 5:
      return function(fixed_radix<5>());
    case 7:
      return function(fixed_radix<7>());
    case 8:
      return function(fixed_radix<8>());
    default:
      if (stage.radix <= largest_prime)
        return function(prime_radix<T>{stage.radix, plan.circles.data() + stage.circle});
      return function(
          convolved_radix<T>(plan.convolutions[stage.circle], rows + plan.size * row_numbers<T>));
  }
}

/// A stage of the block of rows from the `first` on, the numbers taken from `source`; and the last
/// stage of the blocks among `points` rows. Each is compiled once for all passes: a call costs
/// little beside the rows it reads and writes, and inlined they are most of what the library takes
/// to compile.
template <class T, class Source>
HWY_NOINLINE void divide_by_stage(const column_plan<T>& plan,
                                  const typename column_plan<T>::stage& stage, const Source source,
                                  T* rows, std::size_t first) {
  const std::size_t m = stage.points / stage.radix;
  const T* const twiddles = plan.twiddles.data() + stage.twiddles;
  with_radix(plan, stage, rows, [&](const auto& radix) {
    divide(radix, source, m, twiddles, rows + first * row_numbers<T>);
  });
}
template <class T, class Sink>
HWY_NOINLINE void conclude_stages(const column_plan<T>& plan, T* rows, std::size_t first,
                                  std::size_t points, const Sink sink) {
  const auto& last = plan.stages.back();
  with_radix(plan, last, rows, [&](const auto& radix) {
    conclude(radix, plan, rows + first * row_numbers<T>, first, points / last.radix, sink);
  });
}

/// Runs the stages from `level` on, of the block that begins at row `first`, depth first.
template <class T, class Sink>
HWY_NOINLINE void descend(const column_plan<T>& plan, std::size_t level, std::size_t first, T* rows,
                          const Sink& sink) {
  const auto& stage = plan.stages[level];
  divide_by_stage(plan, stage, work_source<T>{rows + first * row_numbers<T>}, rows, first);
  if (level + 2 == plan.stages.size())
    return conclude_stages(plan, rows, first, stage.points, sink);
  const std::size_t m = stage.points / stage.radix;
  for (std::size_t k = 0; k < stage.radix; ++k) descend(plan, level + 1, first + k * m, rows, sink);
}

/// The stages after the first one.
template <class T, class Sink>
HWY_INLINE void run_later_stages(const column_plan<T>& plan, T* rows, const Sink& sink) {
  if (plan.stages.size() <= 2) return conclude_stages(plan, rows, 0, plan.size, sink);
  const auto& stage = plan.stages[0];
  const std::size_t m = stage.points / stage.radix;
  for (std::size_t k = 0; k < stage.radix; ++k) descend(plan, 1, k * m, rows, sink);
}

/// Rows that are shorter than a vector, on either side, or that have less than two stages, pass
/// through work memory.
template <class T, class Source, class Sink>
HWY_NOINLINE void run_stages_in_part(const column_plan<T>& plan, const Source& source, T* rows,
                                     const Sink& sink) {
  const full<T> d;
  const std::size_t levels = plan.stages.size();
  for (std::size_t i = 0; i < plan.size; ++i) {
    pair_of<full<T>> v;
    if constexpr (requires { source.row_in_part(i); })
      v = source.in_part() ? source.row_in_part(i) : source.row(i);
    else
      v = source.row(i);
    store_row(d, v, rows + i * row_numbers<T>);
  }
  if (levels > 1) divide_by_stage(plan, plan.stages[0], work_source<T>{rows}, rows, 0);
  if constexpr (requires { sink.put_in_part(0, load_row(d, rows)); }) {
    if (sink.in_part()) {
      if (levels > 0) run_later_stages(plan, rows, work_sink<T>{rows});
      for (std::size_t k = 0; k < plan.size; ++k)
        sink.put_in_part(k, load_row(d, rows + plan.place[k] * row_numbers<T>));
      return;
    }
  }
  if (levels > 0)
    run_later_stages(plan, rows, sink);
  else
    sink.put(0, 0, load_row(d, rows));
}

/// Runs all stages. `rows`: work memory, as many rows as the plan says.
template <class T, class Source, class Sink>
HWY_INLINE void run_stages(const column_plan<T>& plan, const Source& source, T* rows,
                           const Sink& sink) {
  if (plan.stages.size() < 2 || source.in_part() || sink.in_part())
    return run_stages_in_part(plan, source, rows, sink);
  divide_by_stage(plan, plan.stages[0], source, rows, 0);
  run_later_stages(plan, rows, sink);
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
