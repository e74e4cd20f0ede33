// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/panel.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/slabs.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::fourier {

/// What one VP does in the two passes of a matrix; between them, a superstep.
template <class T> class matrix_passes {
 public:
  /// Numbers of memory of all VPs, and of each of them besides the slabs.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return tiles.numbers() + tiles.vps * own_numbers(tiles);
  }
  [[nodiscard]] static std::size_t own_numbers(const tiling<T>& tiles) noexcept {
    return slab_share<T, const T>::numbers(tiles.plan) + panel<T>::numbers(tiles);
  }

  /// Requires: `memory` of numbers(tiles), the same for all VPs; index < tiles.vps.
  matrix_passes(const tiling<T>& tiles, std::size_t index, T* memory) noexcept
      : matrix_passes(tiles, index, memory + tiles.slab(index),
                      memory + tiles.numbers() + index * own_numbers(tiles)) {}
  /// With a slab that is somewhere else than other VPs'. Requires: `own` of own_numbers(tiles).
  matrix_passes(const tiling<T>& tiles, std::size_t index, T* slab, T* own) noexcept
      : slabs_(tiles, index, slab, own),
        panel_(tiles, own + slab_share<T, const T>::numbers(tiles.plan)) {}

  [[nodiscard]] slab_share<T, const T>& slabs() noexcept { return slabs_; }
  [[nodiscard]] const slab_share<T, const T>& slabs() const noexcept { return slabs_; }

  /// `from`: my columns.
  void first(const column_block<const T>& from, ends<T> how) noexcept {
    const std::size_t rows = slabs_.tiles().plan.rows;
    const bool panels = panel_.pays(from, rows);
    first(
        from.count,
        [&](std::size_t c) {
          const column_block<const T> columns = from.part(c, wide(panels));
          return panels ? panel_.gather(columns, rows) : columns;
        },
        how);
  }
  /// The same of so many columns, of which from(c) brings together the next ones from c on: as many
  /// as a vector has lanes, or a multiple of that, or what is left.
  template <std::invocable<std::size_t> From>
  void first(std::size_t count, const From& from, ends<T> how) noexcept {
    const tiling<T>& tiles = slabs_.tiles();
    const transform_plan<T>& plan = tiles.plan;
    const interval<> mine = tiles.columns_of(slabs_.index());
    T* tile = slabs_.column_tiles(mine.first);
    for (std::size_t c = 0; c < count;) {
      const column_block<const T> columns = from(c);
      for (std::size_t i = 0; i < columns.count; i += plan.lanes, tile += tiles.tile())
        first_pass<T>(plan, columns.part(i, plan.lanes), mine.first * plan.lanes + c + i, how,
                      slabs_.work(), tile, slabs_.column_step());
      c += columns.count;
    }
    if (how.stream) finish_streams();
  }

  /// `to`: where the results of my rows go, as columns. Requires: everybody's chunk is taken.
  void second(const column_block<T>& to, ends<T> how) noexcept {
    const transform_plan<T>& plan = slabs_.tiles().plan;
    const bool stream = how.stream;
    const bool panels = panel_.pays(to, plan.width(), stream);
    const std::size_t vector_bytes = plan.lanes * sizeof(T);
    how.stream = stream && !panels && to.stride % plan.lanes == 0 &&
                 reinterpret_cast<std::uintptr_t>(to.data) % vector_bytes == 0;
    for (std::size_t k = 0; k < to.count;) {
      const column_block<T> columns = to.part(k, wide(panels));
      const column_block<T> here = panels ? panel_.block(columns.count) : columns;
      for (std::size_t i = 0; i < columns.count; i += plan.lanes) {
        second_pass<T>(plan.across, slabs_.row_tiles(), how, slabs_.work(),
                       here.part(i, plan.lanes));
        slabs_.next_row_tiles();
      }
      if (panels) panel_.scatter(columns, plan.width(), stream);
      k += columns.count;
    }
    if (stream) finish_streams();
  }

 private:
  /// Columns moved at once.
  [[nodiscard]] std::size_t wide(bool panels) const noexcept {
    return (panels ? panel_.groups() : 1) * slabs_.tiles().plan.lanes;
  }

  slab_share<T, const T> slabs_;
  panel<T> panel_;
};

/// The transform of a matrix by the VPs of a segment, those that have a strip of it; the others
/// take part in the superstep. `from` is this VP's strip of the points (tiling::taken_by), `to`
/// that of the results (left_by), which may be the same memory. One superstep with the segment's
/// label; h = m/w for m points on w VPs with a strip. Requires: `memory` as matrix_passes.
///
/// Source: Bailey, FFTs in External or Hierarchical Memory, 1990.
template <class T>
task<> transform_matrix(vp& me, segment seg, tiling<T> tiles, column_block<const T> from,
                        column_block<T> to, ends<T> how, T* memory) {
  const std::size_t q = me.rank() - seg.first;
  if (q >= tiles.vps) {
    co_await me.sync(seg.label);
    co_return;
  }
  matrix_passes<T> passes(tiles, q, memory);
  passes.first(from, {how.inverse, 1, how.stream});
  passes.slabs().lend(me, seg);
  co_await me.sync(seg.label);
  while (auto m = me.receive()) {
    const auto chunk = m->template view<typename slab_share<T, const T>::complex>();
    passes.slabs().take(m->source() - seg.first, chunk.data);
  }
  passes.second(to, how);
}

}  // namespace pleat::detail::fourier
