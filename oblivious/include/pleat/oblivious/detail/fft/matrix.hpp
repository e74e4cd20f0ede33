// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <pleat/oblivious/detail/fft/plan.hpp>
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
  void first(const column_block<const T>& from, const mode<T>& how) noexcept {
    const std::size_t rows = slabs_.tiles().plan.rows;
    const bool panels = panel_.pays(rows);
    first(from.count, how, [&](std::size_t c) {
      const column_block<const T> columns = from.part(c, wide(panels));
      return panels ? panel_.gather(columns, rows) : columns;
    });
  }
  /// Transforms columns that from(c) brings together, see slab_share::for_each_group.
  template <std::invocable<std::size_t> From>
  void first(const From& from, const mode<T>& how) noexcept {
    first(from.count(), how, from);
  }

  /// `to`: where the results of my rows go, as columns. Requires: everybody's chunk is taken.
  void second(const column_block<T>& to, mode<T> how) noexcept {
    const transform_plan<T>& plan = slabs_.tiles().plan;
    const bool stream = how.stream, panels = panel_.pays(plan.width());
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
  void first(std::size_t count, const mode<T>& how, const From& from) noexcept {
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
                        mode<T> how, pass_memory<T> memory) {
  const std::size_t q = me.rank() - seg.first;
  if (q >= tiles.vps) {
    co_await me.sync(seg.label);
    co_return;
  }
  matrix_passes<T> passes(tiles, q, memory);
  const mode<T> first{how.inverse, 1, how.stream};
  passes.first(from, first);
  passes.slabs().template lend<const T>(me, seg);
  co_await me.sync(seg.label);
  passes.slabs().take(me);
  passes.second(to, how);
}

/// Bluestein's numbers for n points, as a cyclic convolution of m ≥ 2n − 1 numbers:
/// X_k = c_k · Σ (x_j · c_j) · conj(c_{k − j}), c_j = e^(−πi·j²/n).
class chirp_numbers {
 public:
  chirp_numbers(std::size_t n, std::size_t m) : n_(n), m_(m), roots_(2 * n) {}

  /// c_j, zeros behind the last one.
  [[nodiscard]] root chirp(std::size_t j) const noexcept {
    if (j >= n_) return {0, 0};
    return roots_(static_cast<std::size_t>(wide{j} * j % roots_.order()));
  }
  /// Number j < m of what the points are convolved with.
  [[nodiscard]] root response(std::size_t j) const noexcept {
    const root c = chirp(std::min(j, m_ - j));
    return {c.re, -c.im};
  }

 private:
  __extension__ using wide = unsigned __int128;

  std::size_t n_, m_;
  root_table roots_;
};

/// Writes numbers of a matrix as the kernels of a chirp read them: these groups of as many columns
/// as a vector has lanes, row by row, as vectors: re of all lanes, im. number(i, l) is that of row
/// i, column l. Beyond the last column, zeros.
template <class T, class Number>
void write_vectors(interval<> groups, std::size_t rows, std::size_t columns, std::size_t lane_count,
                   const Number& number, T* to) {
  for (std::size_t g = groups.first; g < groups.last; ++g)
    for (std::size_t i = 0; i < rows; ++i, to += 2 * lane_count)
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const std::size_t l = g * lane_count + number_in_lane(lane, lane_count);
        const root x = l < columns ? number(i, l) : root{0, 0};
        to[lane] = static_cast<T>(x.re);
        to[lane_count + lane] = static_cast<T>(x.im);
      }
}

/// Part of one VP in the three passes of a chirp; between them, supersteps. The convolution is that
/// of plan.inner, a matrix: its columns, its rows there and back, its columns back. All of it takes
/// place in the slabs, which the VPs lend each other; so no transposition is undone. In one memory
/// rows are changed where they stand; over ranks, in a copy, which is lent back.
template <class T> class chirp_passes {
 public:
  using complex = std::complex<T>;

  /// Numbers of memory of all VPs, and of each of them besides the slabs. `tiles`: of plan.inner.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return tiles.numbers() + tiles.vps * own_numbers(tiles);
  }
  [[nodiscard]] static std::size_t own_numbers(const tiling<T>& tiles) noexcept {
    return slab_share<T>::numbers(tiles) + slab_share<T>::pointer_size(tiles);
  }
  /// Memory of VP `index`, in numbers(tiles) of all VPs, with the plan's chirp and response.
  [[nodiscard]] static pass_memory<T> memory_of(const transform_plan<T>& plan,
                                                const tiling<T>& tiles, std::size_t index,
                                                T* memory) noexcept {
    const std::size_t row = 2 * plan.lanes;
    return {memory + tiles.slab(index), memory + tiles.numbers() + index * own_numbers(tiles),
            plan.chirp.data() + tiles.columns_of(index).first * plan.chirped_rows() * row,
            plan.response.data() + tiles.rows_of(index).first * tiles.plan.width() * row};
  }

  chirp_passes(const transform_plan<T>& plan, const tiling<T>& tiles, std::size_t index,
               const pass_memory<T>& memory) noexcept
      : plan_(plan),
        slabs_(tiles, index, memory.slab, memory.own),
        memory_(memory),
        changed_(reinterpret_cast<T**>(memory.own + slab_share<T>::numbers(tiles))) {}

  /// `from`: my columns of the points, see matrix_passes.
  void first(const column_block<const T>& from, bool inverse) noexcept {
    first(from.count, inverse, [&](std::size_t c) { return from.part(c, plan_.lanes); });
  }
  template <std::invocable<std::size_t> From> void first(const From& from, bool inverse) noexcept {
    first(from.count(), inverse, from);
  }
  void lend(vp& me, const segment& seg) const {
    if (in_place())
      slabs_.template lend<T>(me, seg);
    else
      slabs_.template lend<const T>(me, seg);
  }

  void take(vp& me) {
    slabs_.take(me, in_place() ? changed_ : nullptr);
    if (!in_place()) change_copy();
  }
  void take_own() noexcept { slabs_.take_own(changed_); }
  /// Requires: everybody's chunk is taken; changes them.
  void middle() noexcept {
    const std::size_t rows = tiles().rows_of(slabs_.index()).size();
    const std::size_t response = 2 * plan_.lanes * tiles().plan.width();
    for (std::size_t i = 0; i < rows; ++i) {
      fourier::chirp_middle_pass<T>(plan_, memory_.response + i * response, slabs_.work(),
                                    slabs_.row_tiles(), changed_);
      slabs_.next_row_tiles();
      slabs_.advance(changed_);
    }
  }
  void lend_back(vp& me, const segment& seg) const {
    const std::size_t rows = tiles().rows_of(slabs_.index()).size();
    for (std::size_t q = 0; q < tiles().vps; ++q)
      slabs_.for_each_part(
          q, slabs_.index(), [&](std::size_t, std::size_t first, std::size_t count) {
            const interval<> columns = tiles().columns_of(q);
            const T* const chunk = changed_[columns.first] - rows * columns.size() * tiles().tile();
            me.lend(seg.first + q,
                    std::span(reinterpret_cast<const complex*>(chunk) + first, count));
          });
  }
  void take_back(vp& me) const {
    for (std::size_t r = 0; r < tiles().vps; ++r)
      slabs_.for_each_part(slabs_.index(), r, [&](std::size_t, std::size_t first, std::size_t) {
        const auto m = me.receive();
        const auto part = m->template view<const complex>();
        complex* const here = slabs_.chunk(r) + first;
        if (part.data != here) std::copy_n(part.data, part.size(), here);
      });
  }

  /// `to`: where my columns of the results go.
  void last(const column_block<T>& to, const mode<T>& how) noexcept {
    const auto part = [&](std::size_t c) { return to.part(c, plan_.lanes); };
    slabs_.for_each_group(
        to.count, part, [&](const column_block<T>& columns, std::size_t g, const T* tiles) {
          fourier::chirp_last_pass<T>(plan_, chirp_of(g), tiles, slabs_.column_step(),
                                      g * plan_.lanes, {how.inverse, how.scale, false},
                                      slabs_.work(), columns);
        });
  }

 private:
  [[nodiscard]] const tiling<T>& tiles() const noexcept { return slabs_.tiles(); }
  [[nodiscard]] bool in_place() const noexcept { return memory_.rows == nullptr; }
  [[nodiscard]] const T* chirp_of(std::size_t g) const noexcept {
    const std::size_t mine = g - tiles().columns_of(slabs_.index()).first;
    return memory_.chirp + mine * plan_.chirped_rows() * 2 * plan_.lanes;
  }
  template <class From> void first(std::size_t count, bool inverse, const From& from) noexcept {
    slabs_.for_each_group(
        count, from, [&](const column_block<const T>& columns, std::size_t g, T* tiles) {
          fourier::chirp_first_pass<T>(plan_, chirp_of(g), columns, g * plan_.lanes, inverse,
                                       slabs_.work(), tiles, slabs_.column_step());
        });
  }
  /// Rows go to memory of my own, chunks one behind the other.
  void change_copy() noexcept {
    const std::size_t rows = tiles().rows_of(slabs_.index()).size();
    T* tile = memory_.rows;
    for (std::size_t q = 0; q < tiles().vps; ++q) {
      const interval<> columns = tiles().columns_of(q);
      for (std::size_t g = columns.first; g < columns.last; ++g)
        changed_[g] = tile + (g - columns.first) * tiles().tile();
      tile += rows * columns.size() * tiles().tile();
    }
  }

  const transform_plan<T>& plan_;
  slab_share<T> slabs_;
  pass_memory<T> memory_;
  T** changed_;  // as slab_share::row_tiles
};

/// Bluestein's transform of plan.size numbers by the VPs of a segment, those that have a strip of
/// the matrix of its convolution; the others take part in the supersteps. `from` and `to` are this
/// VP's strip (tiling::taken_by) of the points and of the results, see transform_matrix. A
/// convolution of m numbers: two supersteps with the segment's label, h = m/w.
///
/// Source: Bluestein, A Linear Filtering Approach to the Computation of Discrete Fourier Transform,
/// 1970.
template <class T, class From>
task<> transform_chirp(vp& me, segment seg, const transform_plan<T>& plan, tiling<T> tiles,
                       From from, column_block<T> to, mode<T> how, pass_memory<T> memory) {
  const std::size_t q = me.rank() - seg.first;
  if (q >= tiles.vps) {
    co_await me.sync(seg.label);
    co_await me.sync(seg.label);
    co_return;
  }
  chirp_passes<T> passes(plan, tiles, q, memory);
  passes.first(from, how.inverse);
  passes.lend(me, seg);
  co_await me.sync(seg.label);
  passes.take(me);
  passes.middle();
  passes.lend_back(me, seg);
  co_await me.sync(seg.label);
  passes.take_back(me);
  passes.last(to, how);
}

}  // namespace pleat::detail::fourier
