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

/// What one VP sees of the slabs: tiles of its columns, which are its own slab, and of its rows, a
/// chunk in every VP's slab, which it lends. `Number` is T if rows are changed where they stand,
/// const T if they are only read.
template <class T, class Number> class slab_share {
 public:
  /// As they are lent.
  using complex =
      std::conditional_t<std::is_const_v<Number>, const std::complex<T>, std::complex<T>>;

  /// Numbers of memory for what is used here and by the passes: work, then pointers.
  [[nodiscard]] static std::size_t numbers(const transform_plan<T>& plan) noexcept {
    return work_size(plan) + whole_lines<T>(plan.width() * sizeof(T*) / sizeof(T));
  }

  /// `slab`: that of VP `index`. Requires: `memory` of numbers(tiles.plan).
  slab_share(const tiling<T>& tiles, std::size_t index, T* slab, T* memory) noexcept
      : tiles_(tiles),
        index_(index),
        slab_(slab),
        work_(memory),
        rows_(reinterpret_cast<Number**>(memory + work_size(tiles.plan))) {}

  [[nodiscard]] const tiling<T>& tiles() const noexcept { return tiles_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  /// For the kernels.
  [[nodiscard]] T* work() const noexcept { return work_; }

  /// The first tile of group g of columns, one of mine; and how far it is to the next one.
  [[nodiscard]] T* column_tiles(std::size_t g) const noexcept {
    return slab_ + (g - tiles_.columns_of(index_).first) * tiles_.tile();
  }
  [[nodiscard]] std::size_t column_step() const noexcept {
    return tiles_.columns_of(index_).size() * tiles_.tile();
  }

  /// Lends each VP of the segment its chunk of my slab.
  void lend(vp& me, const segment& seg) const {
    for (std::size_t r = 0; r < tiles_.vps; ++r) me.lend(seg.first + r, chunk_for(r));
  }
  [[nodiscard]] std::span<complex> chunk_for(std::size_t r) const noexcept {
    return {reinterpret_cast<complex*>(slab_ + tiles_.chunk(index_, r)),
            tiles_.chunk_numbers(index_, r) / 2};
  }
  /// The chunk that VP q has for me.
  void take(std::size_t q, complex* chunk) noexcept {
    auto* tile = reinterpret_cast<Number*>(chunk);
    const interval<> columns = tiles_.columns_of(q);
    for (std::size_t g = columns.first; g < columns.last; ++g, tile += tiles_.tile())
      rows_[g] = tile;
  }

  /// The tiles of a group of rows, side by side; at first of my first one.
  [[nodiscard]] Number* const* row_tiles() const noexcept { return rows_; }
  void next_row_tiles() noexcept {
    for (std::size_t q = 0; q < tiles_.vps; ++q) {
      const interval<> columns = tiles_.columns_of(q);
      for (std::size_t g = columns.first; g < columns.last; ++g)
        rows_[g] += columns.size() * tiles_.tile();
    }
  }

 private:
  static std::size_t work_size(const transform_plan<T>& plan) noexcept {
    return whole_lines<T>(
        work_numbers<T>(std::max(plan.columns.work_rows(), plan.across.work_rows()), plan.lanes));
  }

  tiling<T> tiles_;
  std::size_t index_;
  T* slab_;
  T* work_;
  Number** rows_;
};

}  // namespace pleat::detail::fourier
