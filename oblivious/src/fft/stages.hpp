// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stages of a column_plan, for PLEAT_TARGET: rows of vectors come from a source, are divided by
// one radix after the other, and go to a sink.

#include <array>
#include <cstddef>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"
#include "fft/butterfly_prime.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Where rows come from: each source has row(i), a pair of vectors.
template <class T> struct pair_source {
  column_block<const T> from;
  bool inverse;
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    return load_pairs(full<T>(), from.data + 2 * i * from.stride, from.count, inverse);
  }
};
/// The same, of a matrix whose next columns come next: their lines are on the way by then.
template <class T> struct column_source {
  pair_source<T> columns;
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    const auto& from = columns.from;
    hwy::Prefetch(from.data + 2 * i * from.stride + row_numbers<T>);
    return columns.row(i);
  }
};
template <class T> struct tile_source {
  const T* const* tiles;
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    return load_row(full<T>(), tiles[i / lane_count<T>] + i % lane_count<T> * row_numbers<T>);
  }
};
template <class T> struct work_source {
  const T* rows;
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    return load_row(full<T>(), rows + i * row_numbers<T>);
  }
};

/// Where the results of the last stage go: put(k, place, v).
template <class T> struct work_sink {
  T* rows;
  HWY_INLINE void put(std::size_t, std::size_t place, pair_of<full<T>> v) const {
    store_row(full<T>(), v, rows + place * row_numbers<T>);
  }
};
template <class T> struct pair_sink {
  column_block<T> to;
  const ends<T>& how;
  HWY_INLINE void put(std::size_t k, std::size_t, pair_of<full<T>> v) const {
    store_pairs(full<T>(), v, how, to.count, to.data + 2 * k * to.stride);
  }
};

/// The radix of a stage, known to the compiler, and its points, which it keeps in registers; the
/// other kind is prime_radix.
template <unsigned R> struct fixed_radix {
  static constexpr unsigned value = R;
  template <class D> struct points_of {
    std::array<pair_of<D>, R> v;
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
    typename Radix::template points_of<full<T>> v;
    for (unsigned k = 0; k < radix.value; ++k) v.set(k, source.row(p + k * m));
    v.transform(d, radix);
    store_row(d, v.get(0), block + p * row_numbers<T>);
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
    typename Radix::template points_of<full<T>> v;
    for (unsigned k = 0; k < r; ++k) v.set(k, load_row(d, block + (b * r + k) * row_numbers<T>));
    v.transform(d, radix);
    const std::size_t at = first + b * r;
    for (unsigned k = 0; k < r; ++k) sink.put(plan.last_at[at / r] + k * step, at + k, v.get(k));
  }
}

/// function(radix) for that of a stage.
template <class T, class Function>
HWY_INLINE void with_radix(const column_plan<T>& plan, const typename column_plan<T>::stage& stage,
                           const Function& function) {
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
      return function(prime_radix<T>{stage.radix, plan.circles.data() + stage.circle});
  }
}

/// The first stage of a block of `points` rows from `source`, and the last one of `blocks` blocks.
/// Each is compiled once for all passes: a call costs little beside the rows it reads and writes,
/// and inlined they are most of what the library takes to compile.
template <class T, class Source>
HWY_NOINLINE void divide_by_stage(const column_plan<T>& plan,
                                  const typename column_plan<T>::stage& stage, const Source source,
                                  T* block) {
  const std::size_t m = stage.points / stage.radix;
  const T* const twiddles = plan.twiddles.data() + stage.twiddles;
  with_radix(plan, stage, [&](const auto& radix) { divide(radix, source, m, twiddles, block); });
}
template <class T, class Sink>
HWY_NOINLINE void conclude_stages(const column_plan<T>& plan, const T* block, std::size_t first,
                                  std::size_t points, const Sink sink) {
  const auto& last = plan.stages.back();
  with_radix(plan, last, [&](const auto& radix) {
    conclude(radix, plan, block, first, points / last.radix, sink);
  });
}

/// The stages from `level` on, of the block that begins at row `first`, depth first.
template <class T, class Sink>
HWY_NOINLINE void descend(const column_plan<T>& plan, std::size_t level, std::size_t first, T* rows,
                          const Sink& sink) {
  const auto& stage = plan.stages[level];
  T* const block = rows + first * row_numbers<T>;
  divide_by_stage(plan, stage, work_source<T>{block}, block);
  if (level + 2 == plan.stages.size())
    return conclude_stages(plan, block, first, stage.points, sink);
  const std::size_t m = stage.points / stage.radix;
  for (std::size_t k = 0; k < stage.radix; ++k) descend(plan, level + 1, first + k * m, rows, sink);
}

/// All stages.
template <class T, class Source, class Sink>
HWY_INLINE void run_stages(const column_plan<T>& plan, const Source& source, T* rows,
                           const Sink& sink) {
  const std::size_t levels = plan.stages.size();
  if (levels < 2) {
    for (std::size_t i = 0; i < plan.size; ++i)
      store_row(full<T>(), source.row(i), rows + i * row_numbers<T>);
    if (levels == 0) {
      sink.put(0, 0, load_row(full<T>(), rows));
      return;
    }
  } else {
    const auto& stage = plan.stages[0];
    divide_by_stage(plan, stage, source, rows);
    if (levels > 2) {
      const std::size_t m = stage.points / stage.radix;
      for (std::size_t k = 0; k < stage.radix; ++k) descend(plan, 1, k * m, rows, sink);
      return;
    }
  }
  conclude_stages(plan, rows, 0, plan.size, sink);
}

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
