// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

// Ends of a transform by several VPs: strips of a matrix, and ranges of its numbers, which VPs hand
// each other.
namespace pleat::detail::fourier {

/// The strips of a transform by several VPs: of its own matrix, or of that of its convolution.
template <class T> struct strips {
  const transform_plan<T>& plan;
  tiling<T> tiles;

  /// Cuts for as many of the VPs as have columns or rows.
  strips(const transform_plan<T>& of, std::size_t vps, bool over_ranks) noexcept
      : plan(of), tiles{of.method == method::chirp ? *of.inner : of, 1, over_ranks} {
    tiles.vps = std::min(vps, std::max(tiles.column_groups(), tiles.row_groups()));
  }

  [[nodiscard]] bool is_chirp() const noexcept { return plan.method == method::chirp; }
  /// Rows of the strips of points.
  [[nodiscard]] std::size_t rows() const noexcept {
    return is_chirp() ? plan.chirped_rows() : plan.rows;
  }
  /// The points that VP q takes and the results that it leaves; nothing if it has no strip.
  [[nodiscard]] strip taken_by(std::size_t q) const noexcept {
    return q < tiles.vps ? tiles.taken_by(q) : strip{1, 0, 0};
  }
  [[nodiscard]] strip left_by(std::size_t q) const noexcept {
    if (is_chirp()) return taken_by(q);
    return q < tiles.vps ? tiles.left_by(q) : strip{1, 0, 0};
  }
};

/// Up to two ranges of a line of numbers.
using line_ranges = std::array<interval<>, 2>;

/// The numbers k of a share, and those as far from the end of the numbers 0 … m.
inline line_ranges with_mirrored(const interval<>& share, std::size_t m) noexcept {
  if (share.empty()) return {};
  return {share, interval<>{m + 1 - share.last, m + 1 - share.first}};
}
/// Ranges without the elements from m on.
inline line_ranges below(const line_ranges& ranges, std::size_t m) noexcept {
  return {intersect(ranges[0], {0, m}), intersect(ranges[1], {0, m})};
}

/// f(which, window), for the parts of a strip that are in a range, as they are lent: pure, so that
/// lender and taker find the same without asking.
template <class F>
void for_each_window(const line_ranges& ranges, const strip& of, std::size_t element_bytes,
                     const F& f) {
  for (std::size_t which = 0; which < 2 && of.size() != 0; ++which) {
    for (const distribution::matrix_window& w :
         distribution::windows_of(ranges[which], of.columns)) {
      const interval<> columns = intersect(w.columns, {of.first, of.last});
      if (columns.empty()) continue;
      if (w.rows.size() == 1)
        distribution::for_each_lent(columns, element_bytes, [&](const interval<>& part) {
          f(which, distribution::matrix_window{w.rows, part});
        });
      else
        distribution::for_each_lent(w.rows, columns.size() * element_bytes,
                                    [&](const interval<>& part) {
                                      f(which, distribution::matrix_window{part, columns});
                                    });
    }
  }
}

/// Elements of a line in memory: two numbers each, complex ones, or one.
template <class Number> struct line_elements {
  Number* data;
  std::size_t unit;

  [[nodiscard]] std::size_t bytes() const noexcept { return unit * sizeof(Number); }
  /// Elements from the i-th on.
  [[nodiscard]] line_elements at(std::size_t i) const noexcept { return {data + unit * i, unit}; }

  /// Lends the next rows, `stride` elements apart.
  void lend(vp& me, std::size_t q, const distribution::matrix_window& w, std::size_t stride) const {
    using complex =
        std::conditional_t<std::is_const_v<Number>, const std::complex<std::remove_const_t<Number>>,
                           std::complex<std::remove_const_t<Number>>>;
    if (unit == 2)
      me.lend(q, strided_view<complex>(reinterpret_cast<complex*>(data), w.rows.size(),
                                       w.columns.size(), stride));
    else
      me.lend(q, strided_view<Number>(data, w.rows.size(), w.columns.size(), stride));
  }
};

/// A window of a line, as it has come.
template <class T> struct arrived_window {
  distribution::matrix_window where;
  line_elements<const T> elements;
  std::size_t stride;

  /// Takes the next message: elements of so many numbers.
  static arrived_window of(vp& me, std::size_t unit, const distribution::matrix_window& where) {
    const auto m = me.receive();
    if (unit == 1) {
      const auto v = m->template view<const T>();
      return {where, {v.data, unit}, v.stride};
    }
    const auto v = m->template view<const std::complex<T>>();
    return {where, {reinterpret_cast<const T*>(v.data), unit}, v.stride};
  }
  /// f(i, elements), for each row.
  template <class F> void for_each_row(const F& f) const {
    for (std::size_t i = 0; i < where.rows.size(); ++i) f(i, elements.at(i * stride).data);
  }
};

/// Ranges of a line and where the first element of each is.
template <class Number> struct held_ranges {
  line_ranges ranges;
  std::array<line_elements<Number>, 2> first;

  /// Lends VP r what is in its strip.
  void lend(vp& me, std::size_t r, const strip& of) const {
    for_each_window(ranges, of, first[0].bytes(), [&](std::size_t which, const auto& w) {
      element(which, of, w).lend(me, r, w, of.columns);
    });
  }
  /// Takes what has come of a strip, elements of so many numbers: put(window, elements, stride),
  /// where they belong.
  template <class Put> void take(vp& me, std::size_t unit, const strip& of, const Put& put) const {
    using T = std::remove_const_t<Number>;
    for_each_window(ranges, of, unit * sizeof(T), [&](std::size_t which, const auto& w) {
      put(arrived_window<T>::of(me, unit, w), element(which, of, w), of.columns);
    });
  }

 private:
  [[nodiscard]] line_elements<Number> element(std::size_t which, const strip& of,
                                              const distribution::matrix_window& w) const noexcept {
    return first[which].at(w.rows.first * of.columns + w.columns.first - ranges[which].first);
  }
};

/// A strip of a line and where its first element is; rows are `stride` elements apart.
template <class Number> struct held_strip {
  strip of;
  line_elements<Number> first;
  std::size_t stride;

  /// Lends VP r what is in its ranges.
  void lend(vp& me, std::size_t r, const line_ranges& ranges) const {
    for_each_window(ranges, of, first.bytes(), [&](std::size_t, const auto& w) {
      first.at(w.rows.first * stride + w.columns.first - of.first).lend(me, r, w, stride);
    });
  }
};

}  // namespace pleat::detail::fourier
