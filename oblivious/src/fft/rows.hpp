// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sources and sinks for the rows of vectors of a column_plan, for PLEAT_TARGET.

#include <cstddef>

#include <hwy/highway.h>

#include <pleat/oblivious/detail/fft/kernels.hpp>

#include "fft/lanes.hpp"

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
    return load_received_row(full<T>(),
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
  ends<T> how;
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

}  // namespace pleat::detail::fourier::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
