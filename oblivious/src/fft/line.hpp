// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
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
                      mode<T> how) {
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

/// Part of a VP in both ends of a transform where all VPs read one memory: points are taken where
/// they stand, and results left where they are wanted. Only numbers that a fold changes before the
/// transform, or behind it, are lent. Elements that lie in the blocks of other VPs are counted when
/// they are taken or left. line_over_ranks is the other kind.
template <class T> class line_in_memory {
 public:
  static constexpr bool over_ranks = false;

  /// Transform i of a batch by `vps` VPs, of which this is number q. `spare`: as batch.
  line_in_memory(const batch<T>& work, const strips<T>& cut, std::size_t vps, std::size_t q,
                 std::size_t i, T* spare) noexcept
      : work_(work), cut_(cut), vps_(vps), q_(q), i_(i), spare_(spare) {}

  [[nodiscard]] bool gathers() const noexcept { return work_.enters(); }
  [[nodiscard]] bool scatters() const noexcept { return work_.leaves(); }
  void enter(vp& me) const {
    if (!work_.enters()) return;
    const std::size_t length = elements(work_.how.inverse);
    for (const interval<>& some : entered()) read(me, {length, some.first, some.last});
    work_.enter(i_, spare_, mine());
  }
  /// Writes folded results. Counts all results, also those that the transform has written.
  void leave(vp& me) const {
    if (!work_.leaves()) return write(me, scaled(cut_.left_by(q_)));
    work_.leave(i_, spare_, mine());
    const std::size_t length = elements(!work_.how.inverse);
    for (const interval<>& some : left()) write(me, {length, some.first, some.last});
  }

  /// Lends every VP what it takes of the numbers that I have folded.
  void lend_points(vp& me) const {
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r) folded_by(q_).lend(me, r, cut_.taken_by(r));
  }
  void take_points(vp& me) const {
    for (std::size_t r = 0; r < vps_; ++r) take(me, r, cut_.taken_by(q_));
  }
  /// Lends every VP what it folds of the numbers that I have left.
  void lend_results(vp& me) const {
    for (std::size_t r = 0; r < vps_; ++r) folded_by(r).lend(me, r, cut_.left_by(q_));
  }
  void take_results(vp& me) const {
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r) take(me, q_, cut_.left_by(r));
  }

  [[nodiscard]] column_block<const T> points(vp& me) const {
    if (!work_.enters()) read(me, scaled(cut_.taken_by(q_)));
    return strip_of_matrix<const T>(work_.source(i_, spare_), cut_.taken_by(q_));
  }
  [[nodiscard]] column_block<T> results() const noexcept {
    return strip_of_matrix<T>(work_.target(i_, spare_), cut_.left_by(q_));
  }
  [[nodiscard]] bool streams() const noexcept { return is_streamed<T>(work_.points()); }

 private:
  [[nodiscard]] interval<> mine() const noexcept { return work_.folded(q_, vps_); }
  /// The numbers that VP q works on before or after the transform.
  [[nodiscard]] held_ranges<T> folded_by(std::size_t q) const noexcept {
    line_ranges all{work_.folded(q, vps_), {}};
    if (work_.signal == signal::real_pairs)
      all = below(with_mirrored(all[0], work_.points()), work_.points());
    const line_elements<T> numbers{work_.target(i_, spare_), 2};
    return {all, {numbers.at(all[0].first), numbers.at(all[1].first)}};
  }
  /// Elements of the input that enter() reads.
  [[nodiscard]] line_ranges entered() const noexcept {
    const std::size_t n = work_.points();
    if (work_.signal == signal::real_pairs) return with_mirrored(mine(), n);
    if (!work_.how.inverse) return {mine(), {}};
    const interval<> beyond = intersect(mine(), {n / 2 + 1, n});  // read from the other end
    return {intersect(mine(), {0, n / 2 + 1}),
            interval<>{n + 1 - beyond.last, n + 1 - beyond.first}};
  }
  /// Elements of the output that leave() writes.
  [[nodiscard]] line_ranges left() const noexcept {
    if (work_.signal == signal::real_pairs) return with_mirrored(mine(), work_.points());
    return {intersect(mine(), {0, elements(!work_.how.inverse)}), {}};
  }

  /// Elements of a line of the user's, on the side of time or frequency.
  [[nodiscard]] std::size_t elements(bool of_frequency) const noexcept {
    if (work_.signal == signal::complex) return work_.points();
    return of_frequency ? work_.time_numbers() / 2 + 1 : work_.time_numbers();
  }
  /// A strip of points, as elements on the side of time: pairs of real numbers are two.
  [[nodiscard]] strip scaled(const strip& s) const noexcept {
    const std::size_t by = work_.signal == signal::real_pairs ? 2 : 1;
    return {s.columns * by, s.first * by, s.last * by};
  }
  void read(vp& me, const strip& of) const {
    for_each_home(me, elements(work_.how.inverse), of,
                  [&me](std::size_t r, std::size_t count) { count_reading(me, r, count); });
  }
  void write(vp& me, const strip& of) const {
    for_each_home(me, elements(!work_.how.inverse), of,
                  [&me](std::size_t r, std::size_t count) { me.count_crossing(r, count); });
  }
  /// f(r, count): VP r has so many elements of a strip of lines of that length. The array of all
  /// lines lies in equal blocks.
  template <class F>
  void for_each_home(vp& me, std::size_t length, const strip& of, const F& f) const {
    if (!counts_crossings(me)) return;
    const interval<> line{i_ * length, (i_ + 1) * length};
    for (std::size_t r = 0; r < vps_; ++r) {
      const interval<> block = intersect(line, interval<>{0, work_.count * length}.share(r, vps_));
      std::size_t count = 0;
      for_each_window({interval<>{block.first - line.first, block.last - line.first}}, of, 1,
                      [&count](std::size_t, const distribution::matrix_window& w) {
                        count += w.rows.size() * w.columns.size();
                      });
      f(r, count);
    }
  }

  /// Takes what VP q and a strip have in common, which is where it is wanted.
  void take(vp& me, std::size_t q, const strip& of) const {
    folded_by(q).take(me, 2, of,
                      []([[maybe_unused]] const auto& come, [[maybe_unused]] const auto& here,
                         std::size_t) { assert(come.elements.data == here.data); });
  }

  const batch<T>& work_;
  const strips<T>& cut_;
  std::size_t vps_, q_, i_;
  T* spare_;
};

}  // namespace pleat::detail::fourier
