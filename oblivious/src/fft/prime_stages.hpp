// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"
#include "fft/lanes.hpp"

// Sources and sinks for the rows of vectors of a column_plan, for PLEAT_TARGET.

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Source of rows: each source has row(i), a pair of vectors; and row_in_part(i) if its rows may be
/// shorter than a vector.
template <class T> struct pair_source {
  column_block<const T> from;
  bool inverse;
  HWY_INLINE bool in_part() const { return from.count < lane_count<T>; }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    return load_pairs(full<T>(), from.data + 2 * i * from.stride, inverse);
  }
  HWY_INLINE pair_of<full<T>> row_in_part(std::size_t i) const {
    return load_some_pairs(full<T>(), from.data + 2 * i * from.stride, from.count, inverse);
  }
};
/// Source for a matrix whose next columns come next: their lines are on the way by then.
template <class T> struct column_source {
  pair_source<T> columns;
  HWY_INLINE bool in_part() const { return columns.in_part(); }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    const auto& from = columns.from;
    fetch_to_read(from.data + 2 * i * from.stride + row_numbers<T>, row_numbers<T>);
    return columns.row(i);
  }
  HWY_INLINE pair_of<full<T>> row_in_part(std::size_t i) const { return columns.row_in_part(i); }
};
/// Rows that begin fewer numbers apart than a vector has; those from the `whole`-th on in `last`.
template <class T> struct overlapping_source {
  const T* from;
  std::size_t step;
  std::size_t whole;
  const T* last;
  bool inverse;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    const T* const at = i < whole ? from + i * step : last + (i - whole) * row_numbers<T>;
    return load_pairs(full<T>(), at, inverse);
  }
};
template <class T> struct tile_source {
  const T* const* tiles;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    return load_unaligned_row(full<T>(),
                              tiles[i / lane_count<T>] + i % lane_count<T> * row_numbers<T>);
  }
};
template <class T> struct work_source {
  const T* rows;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    return load_row(full<T>(), rows + i * row_numbers<T>);
  }
};

/// Sink for the results of the last stage: put(k, place, v), and put_in_part(k, v) if rows there
/// may be shorter than a vector.
template <class T> struct work_sink {
  T* rows;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE void put(std::size_t, std::size_t place, pair_of<full<T>> v) const {
    store_row(full<T>(), v, rows + place * row_numbers<T>);
  }
};
template <class T> struct pair_sink {
  column_block<T> to;
  mode<T> how;
  HWY_INLINE bool in_part() const { return to.count < lane_count<T>; }
  HWY_INLINE void put(std::size_t k, std::size_t, pair_of<full<T>> v) const {
    store_pairs(full<T>(), v, how, to.data + 2 * k * to.stride);
  }
  HWY_INLINE void put_in_part(std::size_t k, pair_of<full<T>> v) const {
    store_some_pairs(full<T>(), v, how, to.count, to.data + 2 * k * to.stride);
  }
};

/// Sink for a matrix whose next columns come next: their lines are on the way by then.
template <class T> struct column_sink {
  pair_sink<T> columns;
  HWY_INLINE bool in_part() const { return columns.in_part(); }
  HWY_INLINE void put(std::size_t k, std::size_t place, pair_of<full<T>> v) const {
    const auto& to = columns.to;
    if (!columns.how.stream)
      fetch_to_write(to.data + 2 * k * to.stride + row_numbers<T>, row_numbers<T>);
    columns.put(k, place, v);
  }
  HWY_INLINE void put_in_part(std::size_t k, pair_of<full<T>> v) const {
    columns.put_in_part(k, v);
  }
};

// The transform of r points, r an odd prime that is only known at run time, for PLEAT_TARGET.

/// Rows of points in memory, not in an array of vectors: compilers copy elements of those piecemeal
/// if the index is not a constant.
template <class D, std::size_t Rows> struct point_rows {
  using T = hn::TFromD<D>;
  static constexpr std::size_t step = 2 * HWY_LANES(T);
  HWY_ALIGN T rows[Rows * step];
  HWY_INLINE pair_of<D> get(unsigned k) const { return load_row(D(), rows + k * step); }
  HWY_INLINE void set(unsigned k, pair_of<D> v) { store_row(D(), v, rows + k * step); }
};

template <class T> struct prime_radix {
  unsigned value;   ///< r
  const T* circle;  ///< cos(2πk/r), sin(2πk/r) for k = 0 … r − 1

  template <class D> struct points_of : point_rows<D, largest_prime> {
    explicit HWY_INLINE points_of(const prime_radix&) {}
    void transform(D d, const prime_radix& radix);
  };
};

/// Results j … j + N − 1, and r − j … r − (j + N − 1): a sum of cosines ± one of sines each. `sums`
/// holds, in turn, the sums of points k and r − k, and −i times their differences, k = 1 ….
template <unsigned N, class D, class T, class Sums, class Points>
HWY_INLINE void results_at(D d, const prime_radix<T>& radix, const Sums& sums, pair_of<D> first,
                           unsigned j, Points& results) {
  std::array<pair_of<D>, N> a;
  std::array<pair_of<D>, N> b;
  std::array<unsigned, N> at;  // j·k mod r
  for (unsigned i = 0; i < N; ++i) {
    a[i] = first;
    b[i] = {hn::Zero(d), hn::Zero(d)};
    at[i] = 0;
  }
  for (unsigned k = 0; k < radix.value / 2; ++k) {
    const pair_of<D> sum = sums.get(2 * k);
    const pair_of<D> difference = sums.get(2 * k + 1);
    for (unsigned i = 0; i < N; ++i) {
      at[i] += j + i;
      at[i] -= at[i] >= radix.value ? radix.value : 0;
      const auto c = hn::Set(d, radix.circle[2 * at[i]]);
      const auto s = hn::Set(d, radix.circle[2 * at[i] + 1]);
      a[i] = {hn::MulAdd(c, sum.re, a[i].re), hn::MulAdd(c, sum.im, a[i].im)};
      b[i] = {hn::MulAdd(s, difference.re, b[i].re), hn::MulAdd(s, difference.im, b[i].im)};
    }
  }
  for (unsigned i = 0; i < N; ++i) {
    results.set(j + i, plus<D>(a[i], b[i]));
    results.set(radix.value - j - i, minus<D>(a[i], b[i]));
  }
}

/// The points become their transform, in natural order. One copy for all that call it; two results
/// at a time, as many as 16 registers hold.
template <class T>
template <class D>
HWY_NOINLINE void prime_radix<T>::points_of<D>::transform(D d, const prime_radix& radix) {
  const pair_of<D> first = this->get(0);
  pair_of<D> total = first;
  const unsigned half = radix.value / 2;
  point_rows<D, largest_prime> sums;
  for (unsigned k = 0; k < half; ++k) {
    const pair_of<D> low = this->get(k + 1);
    const pair_of<D> high = this->get(radix.value - 1 - k);
    const pair_of<D> sum = plus<D>(low, high);
    total = plus<D>(total, sum);
    sums.set(2 * k, sum);
    sums.set(2 * k + 1, turned<D>(minus<D>(low, high)));
  }
  this->set(0, total);
  unsigned j = 1;
  for (; j < half; j += 2) results_at<2>(d, radix, sums, first, j, *this);
  if (j == half) results_at<1>(d, radix, sums, first, j, *this);
}

// The transform of p points, p a large prime, as a convolution (prime_convolution), for
// PLEAT_TARGET.

/// Defined in stages.hpp, which includes this header.
template <class T, class Source, class Sink>
void run_stages(const column_plan<T>& plan, const Source& source, T* rows, const Sink& sink);

/// Source whose row i is points[order[i]]; rows from `count` on are zeros.
template <class T> struct reordered_source {
  const T* points;
  const std::uint32_t* order;
  std::size_t count;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    const full<T> d;
    if (i >= count) return {hn::Zero(d), hn::Zero(d)};
    return load_row(d, points + order[i] * row_numbers<T>);
  }
};

/// Source whose row i is result i of the transform in `rows`, times the response. Real and
/// imaginary parts are swapped from here on, which inverts the transform that follows.
template <class T> struct response_source {
  const T* rows;
  const std::uint32_t* place;
  const T* response;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE pair_of<full<T>> row(std::size_t i) const {
    const full<T> d;
    const pair_of<full<T>> factor{hn::Set(d, response[2 * i]), hn::Set(d, response[2 * i + 1])};
    const auto v = times<full<T>>(load_row(d, rows + place[i] * row_numbers<T>), factor);
    return {v.im, v.re};
  }
};

/// Sink that adds result i to the first point and stores the sum as results[order[i]]. Swaps the
/// parts back.
template <class T> struct reordered_sink {
  T* results;
  const std::uint32_t* order;
  std::size_t count;
  pair_of<full<T>> first;
  HWY_INLINE static bool in_part() { return false; }
  HWY_INLINE void put(std::size_t i, std::size_t, pair_of<full<T>> v) const {
    if (i < count)
      store_row(full<T>(), plus<full<T>>(first, {v.im, v.re}), results + order[i] * row_numbers<T>);
  }
};

/// Transforms the points in the rows of `points` into the rows of `results`. Both have as many rows
/// as a block of the convolution, and both are overwritten.
template <class T>
HWY_NOINLINE void convolve(const prime_convolution<T>& convolution, T* points, T* results) {
  const full<T> d;
  const column_plan<T>& inner = convolution.inner;
  const std::size_t count = convolution.prime - 1;
  const pair_of<full<T>> first = load_row(d, points);
  run_stages(inner, reordered_source<T>{points, convolution.points.data(), count}, results,
             work_sink<T>{results});
  const pair_of<full<T>> total = plus<full<T>>(first, load_row(d, results));
  run_stages(inner, response_source<T>{results, inner.place.data(), convolution.response.data()},
             points, reordered_sink<T>{results, convolution.results.data(), count, first});
  store_row(d, total, results);
}

/// Radix of a stage (as fixed_radix and prime_radix) whose points are rows of memory.
template <class T> struct convolved_radix {
  unsigned value;
  const prime_convolution<T>& convolution;
  T* memory;  ///< two blocks

  HWY_INLINE convolved_radix(const prime_convolution<T>& by, T* blocks)
      : value(by.prime), convolution(by), memory(blocks) {}

  template <class D> struct points_of {
    T* points;
    T* results;
    explicit HWY_INLINE points_of(const convolved_radix& radix)
        : points(radix.memory),
          results(radix.memory + radix.convolution.block_rows() * row_numbers<T>) {}
    HWY_INLINE pair_of<D> get(unsigned k) const {
      return load_row(D(), results + k * row_numbers<T>);
    }
    HWY_INLINE void set(unsigned k, pair_of<D> number) {
      store_row(D(), number, points + k * row_numbers<T>);
    }
    HWY_INLINE void transform(D, const convolved_radix& radix) {
      convolve(radix.convolution, points, results);
    }
  };
};

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
