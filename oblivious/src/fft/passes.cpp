// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include <hwy/cache_control.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>

#include "vector_targets.hpp"

#ifdef PLEAT_TARGET
#include "fft/butterflies.hpp"
#include "fft/butterfly_prime.hpp"
#include "fft/tiles.hpp"

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

/// Results k and m − k: e + f and the conjugate of e − f, where e and f are, up to factors, the sum
/// and the difference of number k and the conjugate of number m − k, f times a root of unity.
template <class D>
HWY_INLINE void fold(D d, pair_of<D>& low, pair_of<D>& high, pair_of<D> w, bool inverse) {
  using T = hn::TFromD<D>;
  pair_of<D> e{hn::Add(low.re, high.re), hn::Sub(low.im, high.im)};
  pair_of<D> f{hn::Sub(low.re, high.re), hn::Add(low.im, high.im)};
  if (inverse) {  // times i·w*
    w.im = hn::Neg(w.im);
    f = times<D>(f, w);
    f = {hn::Neg(f.im), f.re};
  } else {  // times −i·w/2
    const auto half = hn::Set(d, static_cast<T>(0.5));
    e = {hn::Mul(e.re, half), hn::Mul(e.im, half)};
    f = turned<D>(times<D>({hn::Mul(f.re, half), hn::Mul(f.im, half)}, w));
  }
  low = plus<D>(e, f);
  high = {hn::Sub(e.re, f.re), hn::Sub(f.im, e.im)};
}

template <class T>
void fold_pairs_of(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse,
                   const T* from, T* to) {
  const std::size_t m = plan.size / 2;
  if (first == 0 && last > 0) {  // the two results whose imaginary parts are 0
    const T a = from[0];
    const T b = inverse ? from[2 * m] : from[1];
    to[0] = a + b;
    if (inverse) {
      to[1] = a - b;
    } else {
      to[1] = 0;
      to[2 * m] = a - b;
      to[2 * m + 1] = 0;
    }
    first = 1;
  }
  const auto fold_at = [&](auto d, std::size_t k, std::size_t in_block, root base) {
    using D = decltype(d);
    const std::size_t count = hn::Lanes(d);
    const std::size_t mirrored = m - k - (count - 1);
    pair_of<D> low;
    pair_of<D> high;
    hn::LoadInterleaved2(d, from + 2 * k, low.re, low.im);
    hn::LoadInterleaved2(d, from + 2 * mirrored, high.re, high.im);
    high = {hn::Reverse(d, high.re), hn::Reverse(d, high.im)};
    const pair_of<D> w =
        times<D>({hn::Set(d, static_cast<T>(base.re)), hn::Set(d, static_cast<T>(base.im))},
                 {hn::LoadU(d, plan.fine_re.data() + in_block),
                  hn::LoadU(d, plan.fine_im.data() + in_block)});
    fold<D>(d, low, high, w, inverse);
    hn::StoreInterleaved2(low.re, low.im, d, to + 2 * k);
    hn::StoreInterleaved2(hn::Reverse(d, high.re), hn::Reverse(d, high.im), d, to + 2 * mirrored);
  };
  constexpr std::size_t count = lane_count<T>;
  for (std::size_t k = first; k < last;) {
    const root base = plan.coarse[k / plan.block];
    const std::size_t start = k / plan.block * plan.block;
    const std::size_t end = std::min(last, start + plan.block);
    // Whole vectors as long as low ones and high ones do not meet.
    for (; k + count <= end && 2 * (k + count - 1) < m; k += count)
      fold_at(full<T>(), k, k - start, base);
    for (; k < end; ++k) fold_at(hn::CappedTag<T, 1>(), k, k - start, base);
  }
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
  void rows_##T(const column_plan<T>& plan, T* rows) { transform_rows_of(plan, rows); }         \
  void fold_##T(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse,    \
                const T* from, T* to) {                                                         \
    fold_pairs_of(plan, first, last, inverse, from, to);                                        \
  }
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
                decltype(transform_columns<T>) columns_##T; decltype(transform_rows<T>) rows_##T;  \
                decltype(fold_pairs<T>) fold_##T;)                                                 \
  HWY_EXPORT(lanes_##T);                                                                           \
  HWY_EXPORT(first_pass_##T);                                                                      \
  HWY_EXPORT(second_pass_##T);                                                                     \
  HWY_EXPORT(direct_##T);                                                                          \
  HWY_EXPORT(columns_##T);                                                                         \
  HWY_EXPORT(rows_##T);                                                                            \
  HWY_EXPORT(fold_##T);                                                                            \
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
  }                                                                                                \
  template <>                                                                                      \
  void fold_pairs(const real_plan<T>& plan, std::size_t first, std::size_t last, bool inverse,     \
                  const T* from, T* to) {                                                          \
    HWY_DYNAMIC_DISPATCH(fold_##T)(plan, first, last, inverse, from, to);                          \
  }
PLEAT_FFT_KERNELS(float)
PLEAT_FFT_KERNELS(double)
#undef PLEAT_FFT_KERNELS

void finish_streams() { hwy::FlushStream(); }

}  // namespace pleat::detail::fourier
#endif
