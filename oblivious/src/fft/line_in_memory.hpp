// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>

#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/strips.hpp"

namespace pleat::detail::fourier {

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
