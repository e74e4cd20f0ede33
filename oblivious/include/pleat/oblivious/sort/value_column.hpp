// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <boost/sort/pdqsort/pdqsort.hpp>

#include <pleat/oblivious/sort/run_merger.hpp>
#include <pleat/oblivious/sort/shape.hpp>
#include <pleat/runtime/view.hpp>

namespace pleat::detail::sorting {

/// Values in the user's memory and their order.
template <class T, class Compare> struct value_source {
  T* keys;
  Compare* less;  ///< called by all VPs at once

  [[nodiscard]] value_source from(std::size_t first) const noexcept { return {keys + first, less}; }
};

/// One VP's column of the matrix, for any values that may be copied as bytes, in any order. The
/// same steps as word_column; but there is no greatest value, so the rows that are not there are
/// left out.
template <class T, class Compare> class value_column {
 public:
  using key = T;
  using source = value_source<T, Compare>;
  static constexpr std::size_t quantum = 1;

  [[nodiscard]] static std::size_t work_keys(const block_shape& shape) noexcept {
    return 2 * shape.kept_rows();
  }

  value_column(const block_shape& shape, std::size_t index, const source& keys, T* sorted, T* work)
      : shape_(shape),
        index_(index),
        keys_(keys),
        sorted_(sorted + index * shape.rows),
        halves_{work, work + shape.kept_rows()},
        held_(shape.column(index)),
        merge_(shape.columns, *keys.less),
        slices_(shape.columns) {}

  void sort() {
    const std::size_t n = shape_.block(index_);
    if (n == 0) return;
    std::uninitialized_copy_n(keys_.keys + index_ * shape_.rows, n, sorted_);
    sort_values(sorted_, n, *keys_.less);
  }

  [[nodiscard]] strided_view<const T> run_for(std::size_t q) const noexcept {
    return {sorted_ + q, shape_.run(index_, q), 1, shape_.columns};
  }
  void take_run(std::size_t c, const strided_view<const T>& run) {
    merge_.set_run(c, run.data, run.rows, run.stride);
  }

  void merge(std::size_t t) {
    const std::size_t first = t * shape_.chunk_rows;
    const std::size_t before = 2 * shape_.halo();
    T* half = halves_[t % 2];
    if (t == 0)
      merge_.start();
    else if (before != 0 && held_ + before > first)  // rows [first − before, first), if they are
      std::uninitialized_copy_n(halves_[(t - 1) % 2] + shape_.chunk_rows,
                                std::min(before, held_ + before - first), half);
    half += before;
    const std::size_t rows = std::min(shape_.merged_rows(t), merge_.left());
    for (std::size_t i = 0; i < rows; ++i) std::construct_at(half + i, merge_.next());
  }

  [[nodiscard]] strided_view<const T> slice_for(std::size_t t, std::size_t q) const noexcept {
    const auto [first, last] = slice_rows(shape_.share(t, q), held_);
    const T* const row = halves_[t % 2] + (first + 2 * shape_.halo() - t * shape_.chunk_rows);
    return std::span<const T>(row, last - first);
  }
  void take_slice(std::size_t c, const strided_view<const T>& slice) noexcept {
    slices_[c] = {slice.data, slice.size()};
  }

  void finish(std::size_t t) {
    const std::size_t s = shape_.columns;
    const row_range share = shape_.share(t, index_);
    const std::size_t stop = std::min(share.last * s, shape_.keys);
    std::size_t place = share.first * s;
    if (place >= stop) return;
    run_merger<T, Compare> window(s, *keys_.less);
    for (std::size_t c = 0; c < s; ++c) window.set_run(c, slices_[c].data(), slices_[c].size(), 1);
    window.start();
    const std::size_t drop = place - slice_rows(share, shape_.rows).first * s;
    for (std::size_t i = 0; i < drop; ++i) window.next();
    for (; place < stop; ++place) keys_.keys[place] = window.next();
  }

  [[nodiscard]] static source home(T* values, const source& like) noexcept {
    return {values, like.less};
  }
  static void load(const source& keys, std::size_t first, std::size_t count, T* to) noexcept {
    std::uninitialized_copy_n(keys.keys + first, count, to);
  }
  static void store(const T* from, const source& keys, std::size_t first, std::size_t count) {
    std::copy_n(from, count, keys.keys + first);
  }
  [[nodiscard]] static bool before(const source& keys, const T& a, const T& b) {
    return static_cast<bool>((*keys.less)(a, b));
  }

  static void restore(const T* sorted, const source& keys, std::size_t n) {
    store(sorted, keys, 0, n);
  }
  static void sort_alone(const source& keys, std::size_t n) {
    sort_values(keys.keys, n, *keys.less);
  }
  [[nodiscard]] static bool is_sorted(const source& keys, std::size_t first, std::size_t count) {
    for (std::size_t i = 1; i < count; ++i)
      if ((*keys.less)(keys.keys[first + i], keys.keys[first + i - 1])) return false;
    return true;
  }

 private:
  static void sort_values(T* values, std::size_t n, Compare& less) {
    const auto by_reference = [&less](const T& a, const T& b) {
      return static_cast<bool>(less(a, b));
    };
    if constexpr (std::is_arithmetic_v<T>)
      boost::sort::pdqsort_branchless(values, values + n, by_reference);
    else
      boost::sort::pdqsort(values, values + n, by_reference);
  }

  /// The share's rows and the halo, cut to the rows there are.
  [[nodiscard]] row_range slice_rows(const row_range& share, std::size_t rows) const noexcept {
    const std::size_t h = shape_.halo();
    const std::size_t first = std::max(share.first, h) - h;
    const std::size_t last = share.size() == 0 ? 0 : std::min(share.last + h, rows);
    return {first, std::max(first, last)};
  }

  block_shape shape_;
  std::size_t index_;
  source keys_;
  T* sorted_;
  T* halves_[2];
  std::size_t held_;  // keys in my column
  run_merger<T, Compare> merge_;
  std::vector<std::span<const T>> slices_;
};

}  // namespace pleat::detail::sorting
