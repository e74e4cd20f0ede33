// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>

namespace pleat::detail::fourier {

/// What one of w VPs does in the three passes of a chirp; between them, supersteps. The convolution
/// is that of plan.inner, a matrix: its columns, its rows there and back, its columns back. All of
/// it takes place in the slabs, which the VPs lend each other, rows that stand in them included; so
/// no transposition is undone.
template <class T> class chirp_passes {
 public:
  /// Requires: `vps` no more than have columns or rows, `memory` of pass_numbers(*plan.inner).
  chirp_passes(const transform_plan<T>& plan, std::size_t vps, std::size_t index, T* slabs,
               T* memory) noexcept
      : plan_(plan),
        tiles_{*plan.inner, vps},
        index_(index),
        slabs_(slabs),
        work_(memory),
        groups_(reinterpret_cast<T**>(
            memory + whole_lines<T>(work_numbers<T>(std::max(plan.inner->rows, plan.inner->width()),
                                                    plan.lanes)))) {}

  /// All VPs' `from` is read, before any of them writes results.
  void first(const T* from, bool inverse) noexcept {
    const group_range mine = tiles_.columns_of(index_);
    for (std::size_t g = mine.first; g < mine.last; ++g)
      chirp_first_pass<T>(plan_, from, g * plan_.lanes, inverse, work_, column_tiles(g),
                          mine.size() * tiles_.tile());
  }

  /// What VP r transforms of my slab, in its place.
  [[nodiscard]] std::span<T> chunk_for(std::size_t r) const noexcept {
    return {slabs_ + tiles_.chunk(index_, r), tiles_.chunk_numbers(index_, r)};
  }
  /// What VP q has for me.
  void take_chunk(std::size_t q, T* chunk) noexcept {
    const group_range columns = tiles_.columns_of(q);
    for (std::size_t g = columns.first; g < columns.last; ++g)
      groups_[g] = chunk + (g - columns.first) * tiles_.tile();
  }

  void middle() noexcept {
    const group_range mine = tiles_.rows_of(index_);
    for (std::size_t g = mine.first; g < mine.last; ++g) {
      chirp_middle_pass<T>(plan_, g * plan_.lanes, work_, groups_);
      for (std::size_t q = 0; q < tiles_.vps; ++q) {
        const group_range columns = tiles_.columns_of(q);
        for (std::size_t i = columns.first; i < columns.last; ++i)
          groups_[i] += columns.size() * tiles_.tile();
      }
    }
  }

  void last(const ends<T>& how, T* to) noexcept {
    const group_range mine = tiles_.columns_of(index_);
    for (std::size_t g = mine.first; g < mine.last; ++g)
      chirp_last_pass<T>(plan_, column_tiles(g), mine.size() * tiles_.tile(), g * plan_.lanes,
                         {how.inverse, how.scale, false}, work_, to);
  }

 private:
  /// The tiles of my columns of group g.
  [[nodiscard]] T* column_tiles(std::size_t g) const noexcept {
    return slabs_ + tiles_.slab(index_) + (g - tiles_.columns_of(index_).first) * tiles_.tile();
  }

  const transform_plan<T>& plan_;
  tiling<T> tiles_;
  std::size_t index_;
  T* slabs_;
  T* work_;
  T** groups_;
};

}  // namespace pleat::detail::fourier
