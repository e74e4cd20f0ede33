// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::fourier {

/// View of one VP on the slabs: tiles of its columns, which are its own slab, and of its rows, a
/// chunk of every VP's slab, as it has been lent.
template <class T> class slab_share {
 public:
  using complex = std::complex<T>;

  /// Numbers of memory for what is used here and by the passes: work, then pointers.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return work_size(tiles.plan) + pointer_size(tiles);
  }
  [[nodiscard]] static std::size_t pointer_size(const tiling<T>& tiles) noexcept {
    return fourier::whole_lines<T>(tiles.pieces() * tiles.column_groups() * sizeof(T*) / sizeof(T));
  }

  /// `slab`: that of VP `index`. Requires: `memory` of numbers(tiles).
  slab_share(const tiling<T>& tiles, std::size_t index, T* slab, T* memory) noexcept
      : tiles_(tiles),
        index_(index),
        slab_(slab),
        work_(memory),
        rows_(reinterpret_cast<const T**>(memory + work_size(tiles.plan))) {}

  [[nodiscard]] const tiling<T>& tiles() const noexcept { return tiles_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  /// Work memory for the kernels.
  [[nodiscard]] T* work() const noexcept { return work_; }

  /// pass(columns, g, tiles), for each group g of my columns, in their order: `tiles` is its first
  /// one. from(c) brings together the next columns from c on: as many as a vector has lanes, or a
  /// multiple of that, or what is left; all are `count`.
  template <class From, class Pass>
  void for_each_group(std::size_t count, const From& from, const Pass& pass) const noexcept {
    const std::size_t lanes = tiles_.plan.lanes;
    std::size_t g = tiles_.columns_of(index_).first;
    T* tile = slab_;
    for (std::size_t c = 0; c < count;) {
      const auto columns = from(c);
      for (std::size_t i = 0; i < columns.count; i += lanes, ++g, tile += tiles_.tile())
        pass(columns.part(i, lanes), g, tile);
      c += columns.count;
    }
  }
  /// Distance from a tile of a column to its next one.
  [[nodiscard]] std::size_t column_step() const noexcept {
    return tiles_.columns_of(index_).size() * tiles_.tile();
  }

  /// Lends each VP of the segment its chunk of my slab, to read or, if Number is not const, to
  /// change.
  template <class Number> void lend(vp& me, const segment& seg) const {
    using lent = std::conditional_t<std::is_const_v<Number>, const complex, complex>;
    for (std::size_t r = 0; r < tiles_.vps; ++r)
      for_each_part(index_, r, [&](std::size_t, std::size_t first, std::size_t count) {
        me.lend(seg.first + r, std::span<lent>(chunk(r) + first, count));
      });
  }
  /// Takes the chunks that everybody has lent me. `changed`: null, or where the pointers go to
  /// those that I may change.
  void take(vp& me, T** changed = nullptr) {
    for (std::size_t q = 0; q < tiles_.vps; ++q)
      for_each_part(q, index_, [&](std::size_t piece, std::size_t, std::size_t) {
        const auto m = me.receive();
        if (changed != nullptr) take(q, 0, m->template view<complex>().data, changed);
        take(q, piece, m->template view<const complex>().data, rows_);
      });
  }
  /// Takes the chunk of a VP that is alone.
  void take_own(T** changed = nullptr) noexcept {
    if (changed != nullptr) take(0, 0, chunk(0), changed);
    take(0, 0, chunk(0), rows_);
  }

  /// The tiles of a group of rows, side by side; at first of my first one.
  [[nodiscard]] const T* const* row_tiles() const noexcept {
    return rows_ + row_ / tiles_.rows_at_once() * tiles_.column_groups();
  }
  void next_row_tiles() noexcept {
    advance(rows_ + row_ / tiles_.rows_at_once() * tiles_.column_groups());
    ++row_;
  }
  /// Moves pointers to tiles of a group of rows to those of the next one.
  template <class Number> void advance(Number** rows) const noexcept {
    for (std::size_t q = 0; q < tiles_.vps; ++q) {
      const interval<> columns = tiles_.columns_of(q);
      for (std::size_t g = columns.first; g < columns.last; ++g)
        rows[g] += columns.size() * tiles_.tile();
    }
  }

  /// Chunk of my slab that VP r reads.
  [[nodiscard]] complex* chunk(std::size_t r) const noexcept {
    return reinterpret_cast<complex*>(slab_ + tiles_.chunk(index_, r));
  }
  /// f(piece, first, count), for each piece of the chunk that VP r reads of q's slab: complex
  /// numbers of it.
  template <class F> void for_each_part(std::size_t q, std::size_t r, const F& f) const {
    const std::size_t each = tiles_.columns_of(q).size() * tiles_.tile() / 2;
    if (each == 0) return;
    const std::size_t rows = tiles_.rows_of(r).size(), most = tiles_.rows_at_once();
    for (std::size_t g = 0; g < rows; g += most)
      f(g / most, g * each, std::min(most, rows - g) * each);
  }

 private:
  /// Points to the tiles of a piece of VP q's chunk.
  template <class Number, class Chunk>
  void take(std::size_t q, std::size_t piece, Chunk* chunk, Number** rows) const noexcept {
    auto* tile = reinterpret_cast<Number*>(chunk);
    const interval<> columns = tiles_.columns_of(q);
    for (std::size_t g = columns.first; g < columns.last; ++g, tile += tiles_.tile())
      rows[piece * tiles_.column_groups() + g] = tile;
  }
  static std::size_t work_size(const transform_plan<T>& plan) noexcept {
    return fourier::whole_lines<T>(fourier::work_numbers<T>(
        std::max(plan.columns.work_rows(), plan.across.work_rows()), plan.lanes));
  }

  tiling<T> tiles_;
  std::size_t index_;
  T* slab_;
  T* work_;
  const T** rows_;
  std::size_t row_ = 0;
};

}  // namespace pleat::detail::fourier
