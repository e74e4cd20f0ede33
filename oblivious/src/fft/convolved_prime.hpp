// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transform of p points, p a large prime, as a convolution (prime_convolution), for
// PLEAT_TARGET.

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/butterflies.hpp"
#include "fft/lanes.hpp"
#include "fft/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pleat::detail::fourier::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
