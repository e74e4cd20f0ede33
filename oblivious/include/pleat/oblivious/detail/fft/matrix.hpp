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

/// Memory of one VP for its part in a transform by several.
template <class T> struct pass_memory {
  T* slab;
  T* own;
  /// Numbers of a chirp for my columns and the response for my rows, as the kernels want them; and
  /// memory for the tiles of my rows, null if they are changed where they stand.
  const T* chirp = nullptr;
  const T* response = nullptr;
  T* rows = nullptr;
};

/// Part of one VP in the two passes of a matrix; between them, a superstep.
template <class T> class matrix_passes {
 public:
  /// Numbers of memory of all VPs, and of each of them besides the slabs.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return tiles.numbers() + tiles.vps * own_numbers(tiles);
  }
  [[nodiscard]] static std::size_t own_numbers(const tiling<T>& tiles) noexcept {
    return slab_share<T>::numbers(tiles) + panel<T>::numbers(tiles);
  }
  /// Memory of VP `index`, in numbers(tiles) of all VPs. Requires: index < tiles.vps.
  [[nodiscard]] static pass_memory<T> memory_of(const tiling<T>& tiles, std::size_t index,
                                                T* memory) noexcept {
    return {memory + tiles.slab(index), memory + tiles.numbers() + index * own_numbers(tiles)};
  }

  matrix_passes(const tiling<T>& tiles, std::size_t index, const pass_memory<T>& memory) noexcept
      : slabs_(tiles, index, memory.slab, memory.own),
        panel_(tiles, memory.own + slab_share<T>::numbers(tiles)) {}

  [[nodiscard]] slab_share<T>& slabs() noexcept { return slabs_; }

  /// `from`: my columns.
  void first(const column_block<const T>& from, const ends<T>& how) noexcept {
    const std::size_t rows = slabs_.tiles().plan.rows;
    const bool panels = panel_.pays(rows);
    first(from.count, how, [&](std::size_t c) {
      const column_block<const T> columns = from.part(c, wide(panels));
      return panels ? panel_.gather(columns, rows) : columns;
    });
  }
  /// Transforms columns that from(c) brings together, see slab_share::for_each_group.
  template <std::invocable<std::size_t> From>
  void first(const From& from, const ends<T>& how) noexcept {
    first(from.count(), how, from);
  }

  /// `to`: where the results of my rows go, as columns. Requires: everybody's chunk is taken.
  void second(const column_block<T>& to, ends<T> how) noexcept {
    const transform_plan<T>& plan = slabs_.tiles().plan;
    const bool stream = how.stream;
    const bool panels = panel_.pays(plan.width());
    const std::size_t vector_bytes = plan.lanes * sizeof(T);
    how.stream = stream && !panels && to.stride % plan.lanes == 0 &&
                 reinterpret_cast<std::uintptr_t>(to.data) % vector_bytes == 0;
    for (std::size_t k = 0; k < to.count;) {
      const column_block<T> columns = to.part(k, wide(panels));
      const column_block<T> here = panels ? panel_.block(columns.count) : columns;
      for (std::size_t i = 0; i < columns.count; i += plan.lanes) {
        fourier::second_pass<T>(plan.across, slabs_.row_tiles(), how, slabs_.work(),
                                here.part(i, plan.lanes));
        slabs_.next_row_tiles();
      }
      if (panels) panel_.scatter(columns, plan.width(), stream);
      k += columns.count;
    }
    if (stream) finish_streams();
  }

 private:
  template <class From>
  void first(std::size_t count, const ends<T>& how, const From& from) noexcept {
    const transform_plan<T>& plan = slabs_.tiles().plan;
    slabs_.for_each_group(count, from,
                          [&](const column_block<const T>& columns, std::size_t g, T* tiles) {
                            fourier::first_pass<T>(plan, columns, g * plan.lanes, how,
                                                   slabs_.work(), tiles, slabs_.column_step());
                          });
    if (how.stream) finish_streams();
  }
  /// Columns moved at once.
  [[nodiscard]] std::size_t wide(bool panels) const noexcept {
    return (panels ? panel_.groups() : 1) * slabs_.tiles().plan.lanes;
  }

  slab_share<T> slabs_;
  panel<T> panel_;
};

/// The transform of a matrix by the VPs of a segment, those that have a strip of it; the others
/// take part in the superstep. `from` is this VP's strip of the points (tiling::taken_by), a
/// column_block or what matrix_passes::first brings together; `to` that of the results (left_by),
/// which may be the same memory. One superstep with the segment's label; h = m/w for m points on w
/// VPs with a strip.
///
/// Source: Bailey, FFTs in External or Hierarchical Memory, 1990.
template <class T, class From>
task<> transform_matrix(vp& me, segment seg, tiling<T> tiles, From from, column_block<T> to,
                        ends<T> how, pass_memory<T> memory) {
  const std::size_t q = me.rank() - seg.first;
  if (q >= tiles.vps) {
    co_await me.sync(seg.label);
    co_return;
  }
  matrix_passes<T> passes(tiles, q, memory);
  const ends<T> first{how.inverse, 1, how.stream};
  passes.first(from, first);
  passes.slabs().template lend<const T>(me, seg);
  co_await me.sync(seg.label);
  passes.slabs().take(me);
  passes.second(to, how);
}

}  // namespace pleat::detail::fourier
