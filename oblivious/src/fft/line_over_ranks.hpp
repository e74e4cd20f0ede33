// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/rank_strips.hpp"
#include "fft/strips.hpp"

namespace pleat::detail::fourier {

/// Lines in blocks over ranks, and what becomes of them, in other blocks.
template <class T> struct rank_lines {
  /// Elements of a line, of so many numbers each.
  struct side {
    std::size_t length, unit;
  };

  fourier::signal signal;
  std::size_t n;  ///< on the side of time
  std::size_t count;
  ends<T> how;
  const T* from;  ///< the blocks of this rank
  T* to;

  [[nodiscard]] bool is_real() const noexcept { return signal != signal::complex; }
  /// Complex numbers that are transformed.
  [[nodiscard]] std::size_t points() const noexcept {
    return signal == signal::real_pairs ? n / 2 : n;
  }
  [[nodiscard]] side in() const noexcept { return how.inverse ? frequency() : time(); }
  [[nodiscard]] side out() const noexcept { return how.inverse ? time() : frequency(); }

  [[nodiscard]] side time() const noexcept { return {n, is_real() ? 1U : 2U}; }
  [[nodiscard]] side frequency() const noexcept { return {is_real() ? n / 2 + 1 : n, 2}; }
};

/// One VP's part of both ends of a transform of a line in blocks over ranks. Points are gathered
/// from the messages they have come in, a panel of columns at a time; nothing is sorted on the way.
/// line_in_memory is the other kind.
template <class T> class line_over_ranks {
 public:
  static constexpr bool over_ranks = true;

  /// Line `i`; this is VP q.
  line_over_ranks(const rank_lines<T>& work, const rank_strips<T>& with,
                  const distribution::rank_places& places, std::size_t rank, std::size_t i,
                  std::size_t q)
      : work_(work),
        with_(with),
        cut_(with.cut()),
        places_(places),
        vps_(places.back().last),
        q_(q),
        m_(work.points()),
        in_(work.in(), work.count, i, places, rank, work.from),
        out_(work.out(), work.count, i, places, rank, work.to) {}

  [[nodiscard]] bool fetches() const noexcept { return work_.is_real() && work_.how.inverse; }
  [[nodiscard]] static bool gathers() noexcept { return true; }
  [[nodiscard]] static bool scatters() noexcept { return true; }
  [[nodiscard]] bool delivers() const noexcept {
    return work_.signal == signal::real_pairs && !work_.how.inverse;
  }

  void lend_input(vp& me) const {
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_fetched(q_, r, [&](std::size_t, const window& w) {
        in_.at(w.columns.first).lend(me, r, w, w.columns.size());
      });
  }
  void take_input(vp& me) const {
    const line_ranges wanted = fetched_by(q_);
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_fetched(r, q_, [&](std::size_t which, const window& w) {
        const auto come = arrived_window<T>::of(me, 2, w);
        std::copy_n(come.elements.data, 2 * w.columns.size(),
                    folded(which, w.columns.first - wanted[which].first).data);
      });
  }

  void enter() const noexcept {
    if (!fetches()) return;
    if (work_.signal == signal::real_pairs) return fold();
    const interval<> share = folded_by(q_);
    const std::size_t count = share.size();
    if (share.first == 0 && count != 0) folded(0, 0).data[1] = 0;
    for (std::size_t i = 0; i < count; ++i) {  // number n − k is the conjugate of number k
      const T* const x = folded(0, i).data;
      T* const y = folded(1, count - 1 - i).data;
      y[0] = x[0];
      y[1] = -x[1];
    }
  }
  void lend_points(vp& me) const {
    const line_ranges mine = given_by(q_);
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r) {
      const strip of = scaled(cut_.taken_by(r), in_scale());
      for_each_window(mine, of, given_bytes(), [&](std::size_t which, const window& w) {
        const std::size_t i = w.rows.first * of.columns + w.columns.first;
        const line_elements<const T> at =
            fetches() ? folded(which, i - mine[which].first).as_const() : in_.at(i);
        at.lend(me, r, w, of.columns);
      });
    }
  }
  void take_points(vp& me) {
    const strip mine = scaled(cut_.taken_by(q_), in_scale());
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_window(given_by(r), mine, given_bytes(), [&](std::size_t, const window& w) {
        come_.push_back(arrived_window<T>::of(me, given_unit(), w));
      });
  }

  /// The columns of my strip, panel by panel.
  struct gathered {
    const line_over_ranks* line;
    [[nodiscard]] std::size_t count() const noexcept {
      return line->cut_.taken_by(line->q_).size();
    }
    [[nodiscard]] column_block<const T> operator()(std::size_t c) const noexcept {
      return line->gather(c);
    }
  };
  [[nodiscard]] gathered points() const noexcept { return {this}; }
  [[nodiscard]] column_block<T> results() const noexcept {
    return strip_alone<T>(with_.strip(q_), cut_.left_by(q_));
  }
  [[nodiscard]] bool streams() const noexcept { return is_streamed<T>(m_); }

  void lend_results(vp& me) const {
    const strip mine = scaled(cut_.left_by(q_), out_scale());
    const line_elements<const T> results{with_.strip(q_), left_unit()};
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_window(wanted_by(r), mine, results.bytes(), [&](std::size_t, const window& w) {
        results.at(w.rows.first * mine.size() + w.columns.first - mine.first)
            .lend(me, r, w, mine.size());
      });
  }
  void take_results(vp& me) const {
    const line_ranges mine = wanted_by(q_);
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r) {
      const strip theirs = scaled(cut_.left_by(r), out_scale());
      for_each_window(mine, theirs, left_unit() * sizeof(T),
                      [&](std::size_t which, const window& w) {
                        const auto come = arrived_window<T>::of(me, left_unit(), w);
                        const std::size_t i = w.rows.first * theirs.columns + w.columns.first;
                        put(come, theirs.columns,
                            delivers() ? folded(which, i - mine[which].first) : out_.at(i));
                      });
    }
    if (streams()) finish_past_caches();
  }
  void leave() const noexcept {
    if (delivers()) return fold();
    const bool real_spectrum = work_.is_real() && !work_.how.inverse;
    if (real_spectrum && out_.of(q_).contains(0)) out_.at(0).data[1] = 0;
  }

  void lend_output(vp& me) const {
    const line_ranges mine = with_mirrored(folded_by(q_), m_);
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_window(mine, out_.range(r), 2 * sizeof(T), [&](std::size_t which, const window& w) {
        folded(which, w.columns.first - mine[which].first)
            .as_const()
            .lend(me, r, w, w.columns.size());
      });
  }
  void take_output(vp& me) const {
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_window(with_mirrored(folded_by(r), m_), out_.range(q_), 2 * sizeof(T),
                      [&](std::size_t, const window& w) {
                        const auto come = arrived_window<T>::of(me, 2, w);
                        put(come, w.columns.size(), out_.at(w.columns.first));
                      });
  }

 private:
  using window = distribution::matrix_window;

  /// One line of an array in blocks.
  template <class Number> struct blocks {
    std::size_t length;
    distribution::unit_shares shares;
    const distribution::rank_places& places;
    line_elements<Number> here;  // what this rank has of it
    std::size_t first;           // of those

    blocks(const typename rank_lines<T>::side& side, std::size_t count, std::size_t i,
           const distribution::rank_places& where, std::size_t rank, Number* block) noexcept
        : length(side.length),
          shares(distribution::unit_shares::of_elements(count * length)),
          places(where) {
      const interval<> line{i * length, (i + 1) * length};
      const interval<> all = shares.of(rank, places.size());
      shares = shares.only(line);
      first = shares.of(rank, places.size()).first;
      here = {block + side.unit * (std::clamp(line.first, all.first, all.last) - all.first),
              side.unit};
    }
    /// The elements of VP q.
    [[nodiscard]] interval<> of(std::size_t q) const noexcept {
      return distribution::share_of_vp(shares, q, places);
    }
    /// As a strip of a matrix of one row.
    [[nodiscard]] strip range(std::size_t q) const noexcept {
      return {length, of(q).first, of(q).last};
    }
    [[nodiscard]] line_elements<Number> at(std::size_t i) const noexcept {
      return here.at(i - first);
    }
  };

  /// Elements of the user's for each point of a strip, where they are single numbers of pairs.
  [[nodiscard]] std::size_t in_scale() const noexcept { return is_pairs() && !fetches() ? 2 : 1; }
  [[nodiscard]] std::size_t out_scale() const noexcept { return is_pairs() && !delivers() ? 2 : 1; }
  [[nodiscard]] bool is_pairs() const noexcept { return work_.signal == signal::real_pairs; }
  static strip scaled(const strip& s, std::size_t by) noexcept {
    return {s.columns * by, s.first * by, s.last * by};
  }
  /// Results are lent as elements of so many numbers.
  [[nodiscard]] std::size_t left_unit() const noexcept { return 2 / out_scale(); }

  /// The numbers k ≤ m/2 that VP q folds with those as far from the end.
  [[nodiscard]] interval<> folded_by(std::size_t q) const noexcept {
    return interval<>{0, m_ / 2 + 1}.share(q, vps_);
  }
  /// Memory for them; which: 0, or 1 for the mirrored ones.
  [[nodiscard]] line_elements<T> folded(std::size_t which, std::size_t i) const noexcept {
    return line_elements<T>{with_.fold(which, q_), 2}.at(i);
  }
  void fold() const noexcept {
    const interval<> share = folded_by(q_);
    if (share.empty()) return;
    const mirrored<T> at{folded(0, 0).data, folded(1, share.size() - 1).data};
    fold_pairs<T>(with_.roots(), share.first, share.last, work_.how.inverse, {at.low, at.high}, at);
  }

  [[nodiscard]] line_ranges fetched_by(std::size_t q) const noexcept {
    const line_ranges all = with_mirrored(folded_by(q), m_);
    return is_pairs() ? all : line_ranges{all[0], {}};
  }
  /// What VP q has of the input and VP r folds.
  template <class F> void for_each_fetched(std::size_t q, std::size_t r, const F& f) const {
    const line_ranges wanted = fetched_by(r);
    for (std::size_t which = 0; which < 2; ++which)
      for_each_window({in_.of(q), {}}, {in_.length, wanted[which].first, wanted[which].last},
                      2 * sizeof(T), [&](std::size_t, const window& w) { f(which, w); });
  }

  /// The points that VP q has, as elements.
  [[nodiscard]] line_ranges given_by(std::size_t q) const noexcept {
    if (!fetches()) return {in_.of(q), {}};
    return below(with_mirrored(folded_by(q), m_), m_);
  }
  [[nodiscard]] std::size_t given_unit() const noexcept { return fetches() ? 2 : in_.here.unit; }
  [[nodiscard]] std::size_t given_bytes() const noexcept { return given_unit() * sizeof(T); }
  [[nodiscard]] column_block<const T> gather(std::size_t c) const noexcept {
    const strip mine = cut_.taken_by(q_);
    const std::size_t wide = with_.panel_columns(), scale = in_scale(), unit = given_unit();
    const interval<> points{mine.first + c, std::min(mine.first + c + wide, mine.last)};
    const interval<> columns{points.first * scale, points.last * scale};
    const bool alone = unit * scale == 1;  // real parts
    T* const panel = with_.panel(q_);
    for (const arrived_window<T>& come : come_) {
      const interval<> both = intersect(come.where.columns, columns);
      if (both.empty()) continue;
      come.for_each_row([&](std::size_t row, const T* x) {
        x += unit * (both.first - come.where.columns.first);
        const std::size_t at = both.first - columns.first;
        T* const to = panel + 2 * row * wide + (alone ? 2 : unit) * at;
        if (!alone) {
          std::copy_n(x, unit * both.size(), to);
          return;
        }
        for (std::size_t i = 0; i < both.size(); ++i) {
          to[2 * i] = x[i];
          to[2 * i + 1] = 0;
        }
      });
    }
    return {panel, wide, points.size()};
  }

  /// The results that VP q wants, as elements.
  [[nodiscard]] line_ranges wanted_by(std::size_t q) const noexcept {
    if (delivers()) return below(with_mirrored(folded_by(q), m_), m_);
    return {out_.of(q), {}};
  }
  /// Rows of results go to rows `stride` elements apart.
  void put(const arrived_window<T>& come, std::size_t stride,
           const line_elements<T>& to) const noexcept {
    const std::size_t count = come.where.columns.size();
    if (to.unit == 2) {
      copy_rows<T>({come.elements.data, come.stride, count}, come.where.rows.size(), streams(),
                   {to.data, stride, count});
      return;
    }
    const std::size_t step = come.elements.unit;  // 2: results without their imaginary parts
    come.for_each_row([&](std::size_t row, const T* x) {
      T* const y = to.at((row - come.where.rows.first) * stride).data;
      for (std::size_t i = 0; i < count; ++i) y[i] = x[i * step];
    });
  }

  const rank_lines<T>& work_;
  const rank_strips<T>& with_;
  const strips<T>& cut_;
  const distribution::rank_places& places_;
  std::size_t vps_, q_, m_;
  blocks<const T> in_;
  blocks<T> out_;
  std::vector<arrived_window<T>> come_;
};

}  // namespace pleat::detail::fourier
