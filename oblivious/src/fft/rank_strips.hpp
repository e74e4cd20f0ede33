// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/panel.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/strips.hpp"

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
    const ends<T> divided{.scale = static_cast<T>(1 / static_cast<double>(matrix.size))};
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

}  // namespace pleat::detail::fourier
