// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/distributed/strip_layout.hpp>
#include <pleat/oblivious/detail/distributed/vp_shares.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/matrix.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// One Fourier transform by the VPs of all ranks, of a matrix in strips:
///
///     columns    each VP lends the others what it holds of their strips of columns
///     alone      transforms of columns, and roots of unity; results in tiles
///     rows       each VP lends the others the tiles of their rows
///     alone      transforms of rows, whose results are columns of the results in natural order
///     results    each VP lends the others what it has of their numbers
///
/// Points are read where they have arrived, panel by panel; nothing is sorted on the way. Three
/// supersteps, in each of which a VP sends and receives n/V numbers.
template <class T> class strip_program {
 public:
  using complex = std::complex<T>;

  /// `line`: which numbers of the transform ranks hold, this one at `from`. They become results at
  /// `to`, in other memory. Requires: a layout that has memory, vectors of one length on all ranks.
  strip_program(const strip_layout<T>& layout, const unit_shares& line, std::size_t rank,
                const complex* from, complex* to, const fourier::ends<T>& how)
      : layout_(layout),
        tiles_(layout.tiles()),
        line_(line),
        rank_(rank),
        from_(from),
        to_(to),
        how_(how) {}
  strip_program(const strip_program&) = delete;
  strip_program& operator=(const strip_program&) = delete;

  task<> operator()(vp& me, const rank_places& places) const {
    lend_points(me, places);
    co_await me.sync(0);
    const pieces points = take_points(me, places);
    fourier::matrix_passes<T> passes = passes_of(me.rank());
    transform_columns(me, points, passes);
    co_await me.sync(0);
    transform_rows(me, passes);
    lend_results(me, places);
    co_await me.sync(0);
    take_results(me, places);
  }

 private:
  /// Part of the matrix of points, as it has come.
  struct piece {
    matrix_window where;
    strided_view<const complex> numbers;
  };
  using pieces = std::vector<piece>;

  static interval<> columns_of(const fourier::strip& s) noexcept { return {s.first, s.last}; }
  /// f(window), for each part of the numbers `share` of a matrix that is in a strip of it.
  template <class F>
  static void for_each_window(const interval<>& share, const fourier::strip& of, const F& f) {
    for (const matrix_window& w : windows_of(share, of.columns)) {
      const interval<> columns = intersect(w.columns, columns_of(of));
      if (columns.empty()) continue;
      for_each_lent(w.rows, columns.size() * sizeof(complex), [&](const interval<>& rows) {
        f(matrix_window{rows, columns});
      });
    }
  }
  [[nodiscard]] bool has_strip(std::size_t q) const noexcept { return q < tiles_.vps; }

  void lend_points(vp& me, const rank_places& places) const {
    const std::size_t width = tiles_.plan.width();
    const std::size_t first = line_.of(rank_, places.size()).first;
    const interval<> here = share_of_vp(line_, me.rank(), places);
    for (std::size_t q = 0; q < tiles_.vps; ++q) {
      for_each_window(here, tiles_.taken_by(q), [&](const matrix_window& w) {
        const complex* const at = from_ + (w.rows.first * width + w.columns.first - first);
        me.lend(q, strided_view<const complex>(at, w.rows.size(), w.columns.size(), width));
      });
    }
  }
  /// What has come of my strip.
  pieces take_points(vp& me, const rank_places& places) const {
    pieces all;
    if (!has_strip(me.rank())) return all;
    for (std::size_t q = 0; q < me.size(); ++q) {
      for_each_window(share_of_vp(line_, q, places), tiles_.taken_by(me.rank()),
                      [&](const matrix_window& w) {
                        const auto m = me.receive();
                        all.push_back({w, m->template view<const complex>()});
                      });
    }
    return all;
  }

  [[nodiscard]] fourier::matrix_passes<T> passes_of(std::size_t q) const noexcept {
    const std::size_t index = has_strip(q) ? q : 0;
    return {tiles_, index, layout_.slab(q), layout_.own(q)};
  }
  void transform_columns(vp& me, const pieces& points, fourier::matrix_passes<T>& passes) const {
    const std::size_t q = me.rank();
    if (!has_strip(q)) return;
    const fourier::strip mine = tiles_.taken_by(q);
    passes.first(mine.size(),
                 [&](std::size_t c) { return gather(points, mine, c, layout_.panel(q)); },
                 {how_.inverse, 1, streams()});
    lend_tiles(me, passes);
  }
  /// f(groups), for groups of rows of VP r whose tiles are lent at once: the same for all lenders.
  template <class F> void for_each_part(std::size_t r, const F& f) const {
    const std::size_t columns = (tiles_.column_groups() + tiles_.vps - 1) / tiles_.vps;
    for_each_lent({0, tiles_.rows_of(r).size()}, columns * tiles_.tile() * sizeof(T), f);
  }
  void lend_tiles(vp& me, const fourier::matrix_passes<T>& passes) const {
    const std::size_t numbers = tiles_.columns_of(me.rank()).size() * tiles_.tile() / 2;
    if (numbers == 0) return;
    for (std::size_t r = 0; r < tiles_.vps; ++r) {
      const std::span<const complex> chunk = passes.slabs().chunk_for(r);
      for_each_part(r, [&](const interval<>& groups) {
        me.lend(r, chunk.subspan(groups.first * numbers, groups.size() * numbers));
      });
    }
  }
  /// The next columns of my strip from c on, in a panel.
  fourier::column_block<const T> gather(const pieces& points, const fourier::strip& mine,
                                        std::size_t c, T* panel) const noexcept {
    const std::size_t wide = layout_.panel_columns();
    const std::size_t first = mine.first + c;
    const interval<> columns{first, std::min(first + wide, mine.last)};
    auto* const to = reinterpret_cast<complex*>(panel);
    for (const piece& p : points) {
      const interval<> both = intersect(p.where.columns, columns);
      if (both.empty()) continue;
      const complex* from = p.numbers.data + (both.first - p.where.columns.first);
      for (std::size_t row = p.where.rows.first; row < p.where.rows.last; ++row) {
        std::copy_n(from, both.size(), to + (row * wide + both.first - first));
        from += p.numbers.stride;
      }
    }
    return {panel, wide, columns.size()};
  }

  void transform_rows(vp& me, fourier::matrix_passes<T>& passes) const {
    if (!has_strip(me.rank())) return;
    std::vector<std::vector<const complex*>> chunks(tiles_.vps);  // [lender][part]
    for (auto m = me.receive(); m; m = me.receive())
      chunks[m->source()].push_back(m->template view<const complex>().data);
    const std::size_t lanes = tiles_.plan.lanes;
    const auto all = fourier::strip_alone(layout_.strip(me.rank()), tiles_.left_by(me.rank()));
    std::size_t part = 0;
    for_each_part(me.rank(), [&](const interval<>& groups) {
      for (std::size_t q = 0; q < tiles_.vps; ++q)
        if (!chunks[q].empty()) passes.slabs().take(q, chunks[q][part]);
      passes.second(all.part(groups.first * lanes, groups.size() * lanes),
                    {how_.inverse, how_.scale, streams()});
      ++part;
    });
  }

  void lend_results(vp& me, const rank_places& places) const {
    if (!has_strip(me.rank())) return;
    const fourier::strip mine = tiles_.left_by(me.rank());
    const auto* const results = reinterpret_cast<const complex*>(layout_.strip(me.rank()));
    for (std::size_t q = 0; q < me.size(); ++q) {
      for_each_window(share_of_vp(line_, q, places), mine, [&](const matrix_window& w) {
        const complex* const at =
            results + (w.rows.first * mine.size() + w.columns.first - mine.first);
        me.lend(q, strided_view<const complex>(at, w.rows.size(), w.columns.size(), mine.size()));
      });
    }
  }
  void take_results(vp& me, const rank_places& places) const {
    const std::size_t first = line_.of(rank_, places.size()).first;
    const interval<> here = share_of_vp(line_, me.rank(), places);
    const bool stream = streams();
    for (std::size_t q = 0; q < tiles_.vps; ++q) {
      const fourier::strip theirs = tiles_.left_by(q);
      for_each_window(here, theirs, [&](const matrix_window& w) {
        const auto m = me.receive();
        const auto come = m->template view<const complex>();
        complex* const to = to_ + (w.rows.first * theirs.columns + w.columns.first - first);
        fourier::copy_rows<T>(numbers_of(come), come.rows, stream,
                              {reinterpret_cast<T*>(to), theirs.columns, come.columns});
      });
    }
    if (stream) finish_past_caches();
  }
  static fourier::column_block<const T> numbers_of(const strided_view<const complex>& v) noexcept {
    return {reinterpret_cast<const T*>(v.data), v.stride, v.columns};
  }

  /// Are results written past the caches? Ranks beside each other share them.
  [[nodiscard]] bool streams() const noexcept { return fourier::is_streamed<T>(tiles_.plan.size); }

  const strip_layout<T>& layout_;
  fourier::tiling<T> tiles_;
  unit_shares line_;
  std::size_t rank_;
  const complex* from_;
  complex* to_;
  fourier::ends<T> how_;
};

}  // namespace pleat::detail::distribution
