// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/panel.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>

namespace pleat::detail::fourier {

/// What one VP does in the two passes of a matrix; between them, a superstep.
template <class T> class matrix_passes {
 public:
  /// Requires: `memory` of beside_slabs.
  matrix_passes(const tiling<T>& tiles, std::size_t index, T* slabs, T* memory) noexcept
      : tiles_(tiles),
        index_(index),
        slabs_(slabs),
        work_(memory),
        groups_(reinterpret_cast<const T**>(
            memory + whole_lines<T>(work_numbers<T>(std::max(tiles.plan.rows, tiles.plan.width()),
                                                    tiles.plan.lanes)))),
        panel_(tiles, memory + pass_numbers(tiles.plan)) {}

  void first(const T* from, ends<T> how) noexcept {
    const transform_plan<T>& plan = tiles_.plan;
    const group_range mine = tiles_.columns_of(index_);
    const std::size_t step = mine.size() * tiles_.tile();
    T* tiles = slabs_ + tiles_.slab(index_);
    const bool panels = panel_.pays(from, plan.width(), plan.rows);
    const std::size_t last = std::min(mine.last * plan.lanes, plan.width());
    for (std::size_t c = mine.first * plan.lanes; c < last;) {
      column_block<const T> columns{from + 2 * c, plan.width(), std::min(wide(panels), last - c)};
      if (panels) columns = panel_.gather(columns, plan.rows);
      for (std::size_t i = 0; i < columns.count; i += plan.lanes, tiles += tiles_.tile())
        first_pass<T>(plan, group(columns, i), c + i, how, work_, tiles, step);
      c += columns.count;
    }
    if (how.stream) finish_streams();
  }

  /// What VP r reads of my slab.
  [[nodiscard]] std::span<const T> chunk_for(std::size_t r) const noexcept {
    return {slabs_ + tiles_.chunk(index_, r), tiles_.chunk_numbers(index_, r)};
  }
  /// What VP q has for me. Its groups of columns, for the first of my groups of rows.
  void take_chunk(std::size_t q, const T* chunk) noexcept {
    const group_range columns = tiles_.columns_of(q);
    for (std::size_t g = columns.first; g < columns.last; ++g)
      groups_[g] = chunk + (g - columns.first) * tiles_.tile();
  }

  void second(T* to, ends<T> how) noexcept {
    const transform_plan<T>& plan = tiles_.plan;
    const group_range mine = tiles_.rows_of(index_);
    const bool stream = how.stream;
    const bool panels = panel_.pays(to, plan.rows, plan.width(), stream);
    const std::size_t vector_bytes = plan.lanes * sizeof(T);
    how.stream = stream && !panels && plan.rows % plan.lanes == 0 &&
                 reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0;
    const std::size_t last = std::min(mine.last * plan.lanes, plan.rows);
    for (std::size_t k = mine.first * plan.lanes; k < last;) {
      const column_block<T> columns{to + 2 * k, plan.rows, std::min(wide(panels), last - k)};
      const column_block<T> here = panels ? panel_.block(columns.count) : columns;
      for (std::size_t i = 0; i < columns.count; i += plan.lanes) {
        second_pass<T>(plan.across, groups_, how, work_, group(here, i));
        next_row_group();
      }
      if (panels) panel_.scatter(columns, plan.width(), stream);
      k += columns.count;
    }
    if (stream) finish_streams();
  }

 private:
  /// Columns moved at once.
  [[nodiscard]] std::size_t wide(bool panels) const noexcept {
    return (panels ? panel_.groups() : 1) * tiles_.plan.lanes;
  }
  /// Of these columns as many as a vector has lanes, from the i-th on.
  template <class Number>
  [[nodiscard]] column_block<Number> group(const column_block<Number>& columns,
                                           std::size_t i) const noexcept {
    return {columns.data + 2 * i, columns.stride, std::min(tiles_.plan.lanes, columns.count - i)};
  }
  void next_row_group() noexcept {
    for (std::size_t q = 0; q < tiles_.vps; ++q) {
      const group_range columns = tiles_.columns_of(q);
      for (std::size_t i = columns.first; i < columns.last; ++i)
        groups_[i] += columns.size() * tiles_.tile();
    }
  }

  tiling<T> tiles_;
  std::size_t index_;
  T* slabs_;
  T* work_;
  const T** groups_;
  panel<T> panel_;
};

/// The plan of the matrix that is shared. Requires: `plan` is not direct.
template <class T> const transform_plan<T>& matrix_of(const transform_plan<T>& plan) noexcept {
  return plan.method == method::chirp ? *plan.inner : plan;
}

/// Numbers that each of so many VPs needs besides the slabs.
template <class T>
std::size_t beside_slabs(const transform_plan<T>& plan, std::size_t vps) noexcept {
  const std::size_t pass = pass_numbers(matrix_of(plan));
  return plan.method == method::chirp ? pass : pass + panel<T>::numbers({plan, vps});
}

/// Numbers of memory, aligned to a line, for a transform by one VP.
template <class T> std::size_t alone_numbers(const transform_plan<T>& plan) noexcept {
  if (plan.method == method::direct) return pass_numbers(plan);
  return tiling<T>{matrix_of(plan), 1}.numbers() + beside_slabs(plan, 1);
}

/// The transform of `plan.size` points by one VP; how.stream is for the results, intermediate ones
/// are streamed if no cache holds them. Requires: `memory` of alone_numbers, aligned to a
/// line; `from` may be `to`.
template <class T>
void transform_alone(const transform_plan<T>& plan, const T* from, const ends<T>& how, T* memory,
                     T* to) noexcept {
  switch (plan.method) {
    case method::direct:
      transform_direct<T>(plan, from, {how.inverse, how.scale, false}, memory, to);
      return;
    case method::matrix: {
      const tiling<T> tiles{plan, 1};
      matrix_passes<T> passes(tiles, 0, memory, memory + tiles.numbers());
      passes.first(from, {how.inverse, 1, how.stream && is_streamed<T>(plan.size)});
      passes.take_chunk(0, passes.chunk_for(0).data());
      passes.second(to, how);
      return;
    }
    case method::chirp: {
      const tiling<T> tiles{*plan.inner, 1};
      chirp_passes<T> passes(plan, 1, 0, memory, memory + tiles.numbers());
      passes.first(from, how.inverse);
      passes.take_chunk(0, passes.chunk_for(0).data());
      passes.middle();
      passes.last(how, to);
      return;
    }
  }
}

}  // namespace pleat::detail::fourier
