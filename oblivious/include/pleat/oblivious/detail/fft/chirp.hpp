// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/slabs.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::fourier {

/// What one VP does in the three passes of a chirp; between them, supersteps. The convolution is
/// that of plan.inner, a matrix: its columns, its rows there and back, its columns back. All of it
/// takes place in the slabs, which the VPs lend each other, rows that stand in them included; so no
/// transposition is undone.
template <class T> class chirp_passes {
 public:
  /// Numbers of memory of all VPs, and of each of them besides the slabs. `tiles`: of plan.inner.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return tiles.numbers() + tiles.vps * own_numbers(tiles);
  }
  [[nodiscard]] static std::size_t own_numbers(const tiling<T>& tiles) noexcept {
    return slab_share<T, T>::numbers(tiles.plan);
  }

  /// Requires: `memory` of numbers(tiles), the same for all VPs; index < vps.
  chirp_passes(const transform_plan<T>& plan, std::size_t vps, std::size_t index,
               T* memory) noexcept
      : chirp_passes(plan, tiling<T>{*plan.inner, vps}, index, memory) {}

  [[nodiscard]] slab_share<T, T>& slabs() noexcept { return slabs_; }

  /// All VPs' `from` is read, before any of them writes results.
  void first(const T* from, bool inverse) noexcept {
    const interval<> mine = columns();
    for (std::size_t g = mine.first; g < mine.last; ++g)
      chirp_first_pass<T>(plan_, from, g * plan_.lanes, inverse, slabs_.work(),
                          slabs_.column_tiles(g), slabs_.column_step());
  }

  /// Requires: everybody's chunk is taken; changes them.
  void middle() noexcept {
    const interval<> mine = slabs_.tiles().rows_of(slabs_.index());
    for (std::size_t g = mine.first; g < mine.last; ++g) {
      chirp_middle_pass<T>(plan_, g * plan_.lanes, slabs_.work(), slabs_.row_tiles());
      slabs_.next_row_tiles();
    }
  }

  void last(const ends<T>& how, T* to) noexcept {
    const interval<> mine = columns();
    for (std::size_t g = mine.first; g < mine.last; ++g)
      chirp_last_pass<T>(plan_, slabs_.column_tiles(g), slabs_.column_step(), g * plan_.lanes,
                         {how.inverse, how.scale, false}, slabs_.work(), to);
  }

 private:
  chirp_passes(const transform_plan<T>& plan, const tiling<T>& tiles, std::size_t index,
               T* memory) noexcept
      : plan_(plan),
        slabs_(tiles, index, memory + tiles.slab(index),
               memory + tiles.numbers() + index * own_numbers(tiles)) {}

  [[nodiscard]] interval<> columns() const noexcept {
    return slabs_.tiles().columns_of(slabs_.index());
  }

  const transform_plan<T>& plan_;
  slab_share<T, T> slabs_;
};

/// Bluestein's transform of plan.size numbers by the VPs of a segment, `vps` of them; the others
/// take part in the supersteps. A convolution of m numbers: two supersteps with the segment's
/// label, h = m/vps. Requires: `memory` as chirp_passes; `from` may be `to`.
///
/// Source: Bluestein, A Linear Filtering Approach to the Computation of Discrete Fourier Transform,
/// 1970.
template <class T>
task<> transform_chirp(vp& me, segment seg, const transform_plan<T>& plan, std::size_t vps,
                       const T* from, T* to, ends<T> how, T* memory) {
  const std::size_t q = me.rank() - seg.first;
  if (q >= vps) {
    co_await me.sync(seg.label);
    co_await me.sync(seg.label);
    co_return;
  }
  chirp_passes<T> passes(plan, vps, q, memory);
  passes.first(from, how.inverse);
  passes.slabs().lend(me, seg);
  co_await me.sync(seg.label);
  while (auto m = me.receive()) {
    const auto chunk = m->template view<std::complex<T>>();
    passes.slabs().take(m->source() - seg.first, chunk.data);
    me.lend(m->source(), strided_view<const std::complex<T>>(chunk));
  }
  passes.middle();
  co_await me.sync(seg.label);
  while (me.receive()) {  // it stands where it was taken from
  }
  passes.last(how, to);
}

}  // namespace pleat::detail::fourier
