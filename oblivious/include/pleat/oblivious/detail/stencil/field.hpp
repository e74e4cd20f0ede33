// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/shared_memory.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/message.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::stencils {

/// An index, a distance of indices, a number of steps.
using offset = std::ptrdiff_t;

/// Indices of one dimension, or steps.
using range = interval<offset>;

template <std::size_t D> using point = std::array<offset, D>;

/// Product of intervals.
template <std::size_t D> struct box {
  std::array<range, D> sides{};
  [[nodiscard]] constexpr bool empty() const noexcept {
    for (const range& side : sides)
      if (side.empty()) return true;
    return false;
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    std::size_t cells = 1;
    for (const range& side : sides) cells *= static_cast<std::size_t>(side.size());
    return cells;
  }
  [[nodiscard]] constexpr bool contains(const point<D>& x) const noexcept {
    for (std::size_t i = 0; i < D; ++i)
      if (!sides[i].contains(x[i])) return false;
    return true;
  }
  friend constexpr bool operator==(const box&, const box&) = default;
  /// Intersection of two boxes.
  [[nodiscard]] friend constexpr box intersect(const box& a, const box& b) noexcept {
    box both;
    for (std::size_t i = 0; i < D; ++i) both.sides[i] = intersect(a.sides[i], b.sides[i]);
    return both;
  }
  /// Box of the same cells with indices greater by `by`.
  [[nodiscard]] friend constexpr box moved(const box& of, const point<D>& by) noexcept {
    box result = of;
    for (std::size_t i = 0; i < D; ++i) {
      result.sides[i].first += by[i];
      result.sides[i].last += by[i];
    }
    return result;
  }
};

/// One dimension of a tile in space and time: at step k the cells [first + k·left, last + k·right).
/// Slopes are −1, 0, 1. Indices may leave a periodic grid.
struct extent {
  offset first = 0, last = 0;
  int left = 0, right = 0;
  bool cut = true;  ///< may be cut further; else every part of the tile has all of it

  [[nodiscard]] constexpr offset low(offset k) const noexcept { return first + k * left; }
  [[nodiscard]] constexpr offset high(offset k) const noexcept { return last + k * right; }
};

/// A tile: the steps [0, height) of a box that grows or shrinks. It is upright in dimensions in
/// which it shrinks, so that it needs no neighbouring tile; inverted in dimensions in which it
/// grows from nothing between two upright tiles.
template <std::size_t D> struct zoid {
  std::array<extent, D> in;
  offset from = 0;  ///< number of its step 0 in the run
  offset height = 0;
};

/// A part of a tile: steps [first, last), and in every dimension that may be cut the cells x with
/// low ≤ x + k < high, where x + k is the skewed coordinate. A cell depends only on cells at lower
/// or equal steps and skewed coordinates. So for all cuts the lower part goes first.
template <std::size_t D> struct part_of_zoid {
  offset first, last;
  std::array<offset, D> low, high;
};

/// Tells whether a part has the cells [low − k, high − k) at every step k.
constexpr bool leaning(const extent& e, const part_of_zoid<1>& part) noexcept {
  if (!e.cut) return false;
  for (const offset k : {part.first, part.last - 1})
    if (e.low(k) + k > part.low[0] || e.high(k) + k < part.high[0]) return false;
  return true;
}

/// The cells of a part at step k of its tile.
template <std::size_t D>
constexpr box<D> section(const zoid<D>& tile, const part_of_zoid<D>& part, offset k) noexcept {
  box<D> cells;
  for (std::size_t i = 0; i < D; ++i) {
    const extent& e = tile.in[i];
    cells.sides[i] = {e.low(k), e.high(k)};
    if (e.cut) cells.sides[i] = intersect(cells.sides[i], {part.low[i] - k, part.high[i] - k});
  }
  return cells;
}

/// Argument of a kernel for a field: a cell and its neighbours one step ago. With `Two` the kernel
/// may also read the cell itself two steps ago, which is where the new value will be stored.
///
/// The neighbours of an inner cell are at the distances of the strides. `Row` counts rows (the last
/// dimension but one) from the row of the pointers: adjacent rows that are updated together use the
/// same expressions for common neighbours, so that the compiler loads them once.
template <class T, std::size_t D, bool Two, int Row = 0> struct inner_cell {
  const T* at;
  const T* own;  ///< place of the new value
  std::array<offset, D> stride;

  [[gnu::always_inline]] const T& operator()(int dx) const requires(D == 1) {
    assert(dx * dx <= 1);
    return at[dx];
  }
  [[gnu::always_inline]] const T& operator()(int dx, int dy) const requires(D == 2) {
    assert(dx * dx <= 1 && dy * dy <= 1);
    return at[(Row + dx) * stride[0] + dy];
  }
  [[gnu::always_inline]] const T& operator()(int dx, int dy, int dz) const requires(D == 3) {
    assert(dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1);
    return at[dx * stride[0] + (Row + dy) * stride[1] + dz];
  }
  [[gnu::always_inline]] const T& before() const requires(Two) { return *own; }
};

/// Offsets of the neighbours of an index in one dimension: below it, itself, above it.
using neighbours = std::array<offset, 3>;

/// A cell at a wall in some dimension, where the boundary determines its neighbours. With `End` the
/// last dimension is one of these, else the neighbours in it are adjacent.
template <class T, std::size_t D, bool Two, bool End> struct wall_cell {
  const T* at;
  const T* own;
  std::array<neighbours, D> to;

  [[gnu::always_inline]] const T& operator()(int dx) const requires(D == 1) { return at[last(dx)]; }
  [[gnu::always_inline]] const T& operator()(int dx, int dy) const requires(D == 2) {
    return at[way(0, dx) + last(dy)];
  }
  [[gnu::always_inline]] const T& operator()(int dx, int dy, int dz) const requires(D == 3) {
    return at[way(0, dx) + way(1, dy) + last(dz)];
  }
  [[gnu::always_inline]] const T& before() const requires(Two) { return *own; }

 private:
  [[gnu::always_inline]] offset way(std::size_t i, int d) const {
    assert(d * d <= 1);
    return to[i][static_cast<std::size_t>(d + 1)];
  }
  [[gnu::always_inline]] offset last(int d) const {
    assert(d * d <= 1);
    if constexpr (End)
      return way(D - 1, d);
    else
      return d;
  }
};

/// Boundaries and size of a grid.
template <std::size_t D> struct grid_ends {
  std::array<boundary, D> edges;
  std::array<offset, D> size;

  /// Tells whether cell x of dimension i is updated and has a neighbour beyond the grid.
  [[nodiscard]] bool at(std::size_t i, offset x) const noexcept {
    return edges[i] != boundary::fixed && (x == 0 || x == size[i] - 1);
  }
  /// Index in the grid for x, which is beyond the grid by less than its length.
  [[nodiscard]] offset inside(std::size_t i, offset x) const noexcept {
    return x < 0 ? x + size[i] : x >= size[i] ? x - size[i] : x;
  }
  /// Offsets of the neighbours of cell x in dimension i, whose cells are `stride` apart.
  [[nodiscard]] neighbours ways(std::size_t i, offset x, offset stride) const noexcept {
    const offset round =
        edges[i] == boundary::periodic ? (size[i] - 1) * stride : 0;  // reflecting: stays
    return {x > 0 ? -stride : round, 0, x < size[i] - 1 ? stride : -round};
  }
};

/// A field at two successive time levels. Level 0 is the user's.
template <class T, std::size_t D> struct field {
  using cell = T;
  std::array<grid_view<T, D>, 2> level;
};

/// A grid_view of cells whose type is left open. Strides are in cells.
template <std::size_t D> struct untyped_grid {
  std::byte* data;
  std::array<std::size_t, D> size;
  std::array<std::size_t, D> stride;
  std::size_t cell_bytes;

  template <class T>
  requires(!std::is_const_v<T>) untyped_grid(
      const grid_view<T, D>& grid)  // NOLINT(google-explicit-constructor): the same memory
      : data(reinterpret_cast<std::byte*>(grid.data)),
        size(grid.size),
        stride(grid.stride),
        cell_bytes(sizeof(T)) {
    static_assert(std::is_trivially_copyable_v<T>, "pleat::stencil: cells are copied byte by byte");
  }

  [[nodiscard]] std::size_t cells() const noexcept {
    std::size_t count = 1;
    for (const std::size_t s : size) count *= s;
    return count;
  }
  operator strided_box() const {  // NOLINT(google-explicit-constructor): the same memory
    strided_box box(data, cell_bytes);
    for (std::size_t i = 0; i < D; ++i)
      box.along(size[i], static_cast<std::ptrdiff_t>(stride[i] * cell_bytes));
    return box;
  }
};

/// Cells to send or received cells: rows of bytes, `stride` cells apart.
struct untyped_rows {
  const std::byte* data;
  std::size_t rows, columns, stride;
};

/// A field of cells whose type is left open. Lent cells keep their type, which the receiver's view
/// needs.
template <std::size_t D> struct untyped_field {
  std::array<untyped_grid<D>, 2> level;
  /// Lends VP `to` rows of a grid: writable if VP `to` then owns them, in the same memory.
  void (*lend)(vp& me, std::size_t to, const untyped_rows& rows, bool writable);
  /// Returns the rows that a message has lent.
  untyped_rows (*lent)(const message& from);

  template <class T>
  explicit untyped_field(const field<T, D>& of)
      : level{untyped_grid<D>(of.level[0]), untyped_grid<D>(of.level[1])},
        lend([](vp& me, std::size_t to, const untyped_rows& part, bool writable) {
          const strided_view<const T> view(reinterpret_cast<const T*>(part.data), part.rows,
                                           part.columns, part.stride);
          if (writable)
            me.lend(to, strided_view<T>(const_cast<T*>(view.data), view.rows, view.columns,
                                        view.stride));
          else
            me.lend(to, view);
        }),
        lent([](const message& from) {
          const auto view = from.view<const T>();
          return untyped_rows{reinterpret_cast<const std::byte*>(view.data), view.rows,
                              view.columns, view.stride};
        }) {}
};

/// Throws usage_error if two cells have the same address, or the size is not `size`.
template <std::size_t D>
PLEAT_API void check_grid(const untyped_grid<D>& grid, const std::array<std::size_t, D>& size);

/// Throws usage_error if two of the grids have a cell in common.
template <std::size_t D> PLEAT_API void check_apart(std::span<const untyped_grid<D>> grids);

/// Cells that a VP holds and another one needs: the intersection of two boxes.
template <std::size_t D> struct transfer {
  std::size_t to;  ///< rank of the receiver
  box<D> cells;
  /// Time level, which is read at steps of this parity; or `both`, for one cell.
  unsigned level;
  /// Offsets from `cells` at which sender and receiver keep the cells, if they have no common
  /// memory: their indices continue beyond the ends of a ring.
  point<D> held_off{}, needed_off{};
  static constexpr unsigned both = 2;
};

/// A grid whose first cell counts as `first`.
template <std::size_t D> struct placed_grid {
  untyped_grid<D> grid;
  point<D> first{};

  [[nodiscard]] std::byte* at(const point<D>& x) const noexcept {
    offset cells = 0;
    for (std::size_t i = 0; i < D; ++i)
      cells += (x[i] - first[i]) * static_cast<offset>(grid.stride[i]);
    return grid.data + cells * static_cast<offset>(grid.cell_bytes);
  }
};

/// Lends VP `to` a box of cells of a level of a field.
template <std::size_t D>
PLEAT_API void lend_cells(vp& me, std::size_t to, const untyped_field<D>& of,
                          const placed_grid<D>& from, const box<D>& cells, bool writable);
/// Takes the next messages, which have lent a box of that many cells, and copies the cells into
/// `into`, unless they are there already.
template <std::size_t D>
PLEAT_API void take_cells(vp& me, const untyped_field<D>& of, const placed_grid<D>& into,
                          const box<D>& cells);

/// Moves these cells of all fields from level 0, the user's, to level 1, before the first step.
/// With `two` the previous values of level 1 go to level 0, else level 0 does not change.
template <std::size_t D>
PLEAT_API void move_to_other_level(std::span<const untyped_field<D>> fields, const box<D>& cells,
                                   bool two);
/// Copies the cells in `cells` that never change from level `start` to the other level. The fields
/// have cells of a grid of this size, from the cell `first` on.
template <std::size_t D>
PLEAT_API void copy_fixed_cells(std::span<const untyped_field<D>> fields, const point<D>& first,
                                const std::array<offset, D>& size,
                                const std::array<boundary, D>& edges, const box<D>& cells,
                                unsigned start);

/// The fields and boundaries of a run, and the update of cells, which the derived class implements.
/// Immutable, shared by all VPs.
template <std::size_t D> class any_sweeper {
 public:
  any_sweeper(const any_sweeper&) = delete;
  any_sweeper& operator=(const any_sweeper&) = delete;

  [[nodiscard]] const std::array<offset, D>& size() const noexcept { return size_; }
  [[nodiscard]] const std::array<boundary, D>& edges() const noexcept { return edges_; }
  [[nodiscard]] const std::vector<untyped_field<D>>& fields() const noexcept { return fields_; }
  /// Tells whether the kernel reads a cell two steps back, which is where the new value will be
  /// stored.
  [[nodiscard]] bool two() const noexcept { return two_; }
  /// Width, in one dimension, of the parts of constant width that sweep computes fastest; 0 if
  /// there is no such width.
  [[nodiscard]] offset chunk() const noexcept { return chunk_; }

  /// Performs the steps of a part of a tile, one after the other. Step k of the tile reads level
  /// (first_level + k) mod 2 and writes the other one. Requires that all of these cells change.
  /// Indices may leave a periodic grid by less than its size.
  virtual void sweep(const zoid<D>& tile, const part_of_zoid<D>& part,
                     unsigned first_level) const = 0;

 protected:
  /// Requires fields of one size, one at least.
  any_sweeper(std::vector<untyped_field<D>> fields, const std::array<boundary, D>& edges, bool two,
              offset chunk)
      : fields_(std::move(fields)), edges_(edges), two_(two), chunk_(chunk) {
    for (std::size_t i = 0; i < D; ++i)
      size_[i] = static_cast<offset>(fields_.front().level[0].size[i]);
  }
  ~any_sweeper() = default;

 private:
  std::vector<untyped_field<D>> fields_;
  std::array<boundary, D> edges_;
  std::array<offset, D> size_{};
  bool two_;
  offset chunk_;
};

/// Returns the boundary of each dimension. Throws usage_error for options that contradict each
/// other.
template <std::size_t D>
PLEAT_API [[nodiscard]] std::array<boundary, D> check_options(const stencil_options& options);

/// Number of VPs: `options.vps`, or the number that pays for that many bytes of cells.
[[nodiscard]] PLEAT_API std::size_t stencil_vps(machine& on, std::size_t bytes, std::size_t steps,
                                                const stencil_options& options);

/// Performs the steps. Rethrows what a VP throws. Requires check_options.
template <std::size_t D>
PLEAT_API run_report run_steps(machine& on, const any_sweeper<D>& with, std::size_t steps,
                               const stencil_options& options);

}  // namespace pleat::detail::stencils
