// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/fft/many.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/line.hpp"

namespace pleat::detail::fourier {

/// A transform in strips by the VPs of all ranks, and the memory of those of this rank: besides
/// what passes take, a strip of results, points on their way to the first pass, and the numbers
/// that are folded. Requires: vectors of one length on all ranks.
template <class T> class rank_strips {
 public:
  /// Strips of n points, by `vps` VPs, `here` on this rank. `signal`: the points on the side of
  /// time. Throws: std::bad_alloc.
  rank_strips(std::size_t n, fourier::signal signal, std::size_t vps, const rank_range& here)
      : here_(here),
        folds_(signal == signal::complex ? 0 : (n / 2 + 1 + vps - 1) / vps),
        plan_(plan_over_ranks<T>(n)),
        roots_(signal == signal::real_pairs ? make_real_roots<T>(2 * n) : nullptr),
        cut_(*plan_, vps, true) {}
  rank_strips(const rank_strips&) = delete;
  rank_strips& operator=(const rank_strips&) = delete;

  [[nodiscard]] const strips<T>& cut() const noexcept { return cut_; }
  [[nodiscard]] const real_plan<T>& roots() const noexcept { return *roots_; }

  void lay_out(arena& in) {
    const tiling<T>& t = cut_.tiles;
    const std::size_t vector = 2 * plan_->lanes;
    std::size_t slab = 0, strip = 0, columns = 0, rows = 0;
    for (std::size_t q = here_.first; q < std::min(here_.last, t.vps); ++q) {
      slab = std::max(slab, t.slab_numbers(q));
      strip = std::max(strip, 2 * t.plan.width() * t.left_by(q).size());
      if (cut_.is_chirp()) strip = std::max(strip, 2 * cut_.rows() * t.taken_by(q).size());
      columns = std::max(columns, t.columns_of(q).size());
      rows = std::max(rows, t.rows_of(q).size());
    }
    slabs_ = in.arrays<T>(slab, here_.size());
    strips_ = in.arrays<T>(strip, here_.size());
    panels_ = in.arrays<T>(2 * t.plan.rows * panel_columns(), here_.size());
    for (auto& half : halves_) half = in.arrays<T>(2 * folds_, here_.size());
    own_ = in.arrays<T>(std::max(matrix_passes<T>::own_numbers(t), chirp_passes<T>::own_numbers(t)),
                        here_.size());
    if (!cut_.is_chirp()) return;
    chirps_ = in.arrays<T>(columns * cut_.rows() * vector, here_.size());
    responses_ = in.arrays<T>(rows * t.plan.width() * vector, here_.size());
    rows_ = in.arrays<T>(rows * t.column_groups() * t.tile(), here_.size());
  }

  // Memory of VP q, one of this rank's.

  [[nodiscard]] pass_memory<T> passes(std::size_t q) const noexcept {
    if (!cut_.is_chirp()) return {of(slabs_, q), of(own_, q)};
    return {of(slabs_, q), of(own_, q), of(chirps_, q), of(responses_, q), of(rows_, q)};
  }
  [[nodiscard]] T* strip(std::size_t q) const noexcept { return of(strips_, q); }
  /// Panel of panel_columns() columns of the matrix.
  [[nodiscard]] T* panel(std::size_t q) const noexcept { return of(panels_, q); }
  [[nodiscard]] std::size_t panel_columns() const noexcept {
    return std::max<std::size_t>(1, fourier::panel<T>::groups_of(cut_.tiles)) * plan_->lanes;
  }
  /// The numbers of a VP's share that are folded (which = 0), and those as far from the end.
  [[nodiscard]] T* fold(std::size_t which, std::size_t q) const noexcept {
    return of(halves_[which], q);
  }

  /// A VP makes its part of the numbers of a chirp, the response by a transform: one superstep.
  task<> make_chirp(vp& me) const {
    const std::size_t q = me.rank();
    const tiling<T>& t = cut_.tiles;
    const transform_plan<T>& matrix = t.plan;
    const std::size_t width = matrix.width();
    const chirp_numbers numbers(plan_->size, matrix.size);
    const fourier::strip results = q < t.vps ? t.left_by(q) : cut_.taken_by(q);
    const mode<T> divided{.scale = static_cast<T>(1 / static_cast<double>(matrix.size))};
    if (q < t.vps)
      write_vectors<T>(
          t.columns_of(q), cut_.rows(), width, plan_->lanes,
          [&](std::size_t i, std::size_t l) { return numbers.chirp(i * width + l); },
          of(chirps_, q));
    const response_columns columns{*this, numbers, cut_.taken_by(q), panel(q)};
    const column_block<T> to = strip_alone<T>(strip(q), results);
    const segment all = me.all();
    const pass_memory<T> memory = passes(q);
    co_await transform_matrix<T>(me, all, t, columns, to, divided, memory);
    if (q >= t.vps) co_return;
    const T* const x = strip(q);
    write_vectors<T>(
        t.rows_of(q), width, matrix.rows, plan_->lanes,
        [&](std::size_t i, std::size_t l) {
          const std::size_t at = 2 * (i * results.size() + l - results.first);
          return root{x[at], x[at + 1]};
        },
        of(responses_, q));
  }

 private:
  /// Columns of what the points are convolved with, panel by panel.
  struct response_columns {
    const rank_strips& all;
    const chirp_numbers& numbers;
    fourier::strip mine;
    T* panel;

    [[nodiscard]] std::size_t count() const noexcept { return mine.size(); }
    [[nodiscard]] column_block<const T> operator()(std::size_t c) const noexcept {
      const std::size_t wide = all.panel_columns(), columns = std::min(wide, mine.size() - c);
      const transform_plan<T>& matrix = all.cut_.tiles.plan;
      for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t l = 0; l < columns; ++l) {
          const root x = numbers.response(i * matrix.width() + mine.first + c + l);
          panel[2 * (i * wide + l)] = static_cast<T>(x.re);
          panel[2 * (i * wide + l) + 1] = static_cast<T>(x.im);
        }
      return {panel, wide, columns};
    }
  };

  [[nodiscard]] T* of(const vp_arrays<T>& arrays, std::size_t q) const noexcept {
    return arrays[q - here_.first];
  }

  rank_range here_;
  std::size_t folds_;
  std::shared_ptr<const transform_plan<T>> plan_;
  std::shared_ptr<const real_plan<T>> roots_;
  strips<T> cut_;
  vp_arrays<T> slabs_, strips_, panels_, own_, chirps_, responses_, rows_;
  std::array<vp_arrays<T>, 2> halves_;
};

/// Lines in blocks over ranks, and what becomes of them, in other blocks.
template <class T> struct rank_lines {
  /// Elements of a line, of so many numbers each.
  struct side {
    std::size_t length, unit;
  };

  fourier::signal signal;
  std::size_t n;  ///< on the side of time
  std::size_t count;
  mode<T> how;
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

/// Part of a VP in both ends of a transform of a line in blocks over ranks. Points are gathered
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
    const held_strip<const T> mine{in_.range(q_), in_.held_by(q_).first[0], in_.length};
    for (std::size_t r = 0; r < vps_; ++r) mine.lend(me, r, fetched_by(r));
  }
  void take_input(vp& me) const {
    const held_ranges<T> mine = folded<T>(fetched_by(q_));
    for (std::size_t r = 0; r < vps_; ++r) mine.take(me, 2, in_.range(r), putter());
  }

  void enter(vp&) const noexcept {
    if (!fetches()) return;
    if (is_pairs()) return fold();
    const std::size_t count = folded_by(q_).size();
    T* const x = with_.fold(0, q_);
    T* const y = with_.fold(1, q_) + 2 * count;
    if (folded_by(q_).contains(0)) x[1] = 0;
    for (std::size_t i = 0; i < count; ++i) {  // number n − k is the conjugate of number k
      *(y - 2 * i - 2) = x[2 * i];
      *(y - 2 * i - 1) = -x[2 * i + 1];
    }
  }
  void lend_points(vp& me) const {
    const held_ranges<const T> mine = fetches() ? folded<const T>(given_by(q_)) : in_.held_by(q_);
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r)
      mine.lend(me, r, scaled(cut_.taken_by(r), in_scale()));
  }
  void take_points(vp& me) {
    const strip mine = scaled(cut_.taken_by(q_), in_scale());
    for (std::size_t r = 0; r < vps_; ++r)
      for_each_window(given_by(r), mine, given_unit() * sizeof(T),
                      [&](std::size_t, const distribution::matrix_window& w) {
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
  [[nodiscard]] gathered points(vp&) const noexcept { return {this}; }
  [[nodiscard]] column_block<T> results() const noexcept {
    return strip_alone<T>(with_.strip(q_), cut_.left_by(q_));
  }
  [[nodiscard]] bool streams() const noexcept { return is_streamed<T>(m_); }

  void lend_results(vp& me) const {
    const strip of = scaled(cut_.left_by(q_), out_scale());
    const held_strip<const T> mine{of, {with_.strip(q_), left_unit()}, of.size()};
    for (std::size_t r = 0; r < vps_; ++r) mine.lend(me, r, wanted_by(r));
  }
  void take_results(vp& me) const {
    const held_ranges<T> mine = delivers() ? folded<T>(wanted_by(q_)) : out_.held_by(q_);
    for (std::size_t r = 0; r < cut_.tiles.vps; ++r)
      mine.take(me, left_unit(), scaled(cut_.left_by(r), out_scale()), putter());
    if (streams()) finish_past_caches();
  }
  void leave(vp&) const noexcept {
    if (delivers()) return fold();
    const bool real_spectrum = work_.is_real() && !work_.how.inverse;
    if (real_spectrum && out_.of(q_).contains(0)) out_.held_by(q_).first[0].data[1] = 0;
  }

  void lend_output(vp& me) const {
    const held_ranges<const T> mine = folded<const T>(with_mirrored(folded_by(q_), m_));
    for (std::size_t r = 0; r < vps_; ++r) mine.lend(me, r, out_.range(r));
  }
  void take_output(vp& me) const {
    const held_ranges<T> mine = out_.held_by(q_);
    for (std::size_t r = 0; r < vps_; ++r)
      for (const interval<>& theirs : with_mirrored(folded_by(r), m_))
        mine.take(me, 2, {out_.length, theirs.first, theirs.last}, putter());
  }

 private:
  /// Line of an array in blocks.
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
    /// Range of VP q, as a strip of a matrix of one row.
    [[nodiscard]] strip range(std::size_t q) const noexcept {
      return {length, of(q).first, of(q).last};
    }
    /// Requires: a VP of this rank.
    [[nodiscard]] held_ranges<Number> held_by(std::size_t q) const noexcept {
      const line_elements<Number> mine = here.at(of(q).first - first);
      return {{of(q), {}}, {mine, mine}};
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
  /// Ranges of this VP, in memory for them.
  template <class Number>
  [[nodiscard]] held_ranges<Number> folded(const line_ranges& ranges) const noexcept {
    return {ranges, {line_elements<Number>{with_.fold(0, q_), 2}, {with_.fold(1, q_), 2}}};
  }
  void fold() const noexcept {
    const interval<> share = folded_by(q_);
    if (share.empty()) return;
    const mirrored<T> at{with_.fold(0, q_), with_.fold(1, q_) + 2 * (share.size() - 1)};
    fold_pairs<T>(with_.roots(), share.first, share.last, work_.how.inverse, {at.low, at.high}, at);
  }

  [[nodiscard]] line_ranges fetched_by(std::size_t q) const noexcept {
    const line_ranges all = with_mirrored(folded_by(q), m_);
    return is_pairs() ? all : line_ranges{all[0], {}};
  }
  /// The points that VP q has, as elements.
  [[nodiscard]] line_ranges given_by(std::size_t q) const noexcept {
    if (!fetches()) return {in_.of(q), {}};
    return below(with_mirrored(folded_by(q), m_), m_);
  }
  [[nodiscard]] std::size_t given_unit() const noexcept { return fetches() ? 2 : in_.here.unit; }
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
      come.for_each_row([&](std::size_t i, const T* x) {
        x += unit * (both.first - come.where.columns.first);
        const std::size_t at = both.first - columns.first;
        T* const to = panel + 2 * (come.where.rows.first + i) * wide + (alone ? 2 : unit) * at;
        if (!alone) {
          std::copy_n(x, unit * both.size(), to);
          return;
        }
        for (std::size_t j = 0; j < both.size(); ++j) {
          to[2 * j] = x[j];
          to[2 * j + 1] = 0;
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
  /// Function that puts an arrived window, for held_ranges::take.
  [[nodiscard]] auto putter() const noexcept {
    return [stream = streams()](const arrived_window<T>& come, const line_elements<T>& to,
                                std::size_t stride) {
      const std::size_t count = come.where.columns.size();
      const std::size_t step = come.elements.unit;  // 2, for 1: without imaginary parts
      if (to.unit == 2)
        copy_rows<T>({come.elements.data, come.stride, count}, come.where.rows.size(), stream,
                     {to.data, stride, count});
      else
        come.for_each_row([&](std::size_t i, const T* x) {
          T* const y = to.at(i * stride).data;
          for (std::size_t j = 0; j < count; ++j) y[j] = x[j * step];
        });
    };
  }

  const rank_lines<T>& work_;
  const rank_strips<T>& with_;
  const strips<T>& cut_;
  std::size_t vps_, q_, m_;
  blocks<const T> in_;
  blocks<T> out_;
  std::vector<arrived_window<T>> come_;
};

}  // namespace pleat::detail::fourier
