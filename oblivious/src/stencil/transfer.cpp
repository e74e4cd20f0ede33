// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <optional>

#include <pleat/oblivious/detail/stencil/transfer.hpp>
#include <pleat/runtime/message.hpp>

namespace pleat::detail::stencils {
namespace {

/// Calls visit(first cell, rows, columns) for the matrices of which a box consists, which are the
/// same in every memory.
template <std::size_t D, class Visit>
void for_each_matrix(const box<D>& cells, const Visit& visit) {
  if (cells.empty()) return;
  point<D> x;
  for (std::size_t i = 0; i < D; ++i) x[i] = cells.sides[i].first;
  const auto columns = static_cast<std::size_t>(cells.sides[D - 1].size());
  if constexpr (D == 1) {
    visit(x, std::size_t{1}, columns);
  } else {
    const auto rows = static_cast<std::size_t>(cells.sides[D - 2].size());
    if constexpr (D == 2) {
      visit(x, rows, columns);
    } else {
      for (; x[0] < cells.sides[0].last; ++x[0]) visit(x, rows, columns);
    }
  }
}

/// Returns the distance in cells of two rows of such a matrix.
template <std::size_t D>
std::size_t row_stride(const untyped_grid<D>& grid, std::size_t columns) noexcept {
  if constexpr (D == 1)
    return columns;
  else
    return grid.stride[D - 2];
}

/// Copies rows of cells; `into_stride` is in cells.
void copy_rows(const untyped_rows& from, std::byte* into, std::size_t into_stride,
               std::size_t cell_bytes) {
  for (std::size_t i = 0; i < from.rows; ++i)
    std::copy_n(from.data + i * from.stride * cell_bytes, from.columns * cell_bytes,
                into + i * into_stride * cell_bytes);
}

/// Takes the next message, which has lent such a matrix.
template <std::size_t D>
untyped_rows next_rows(vp& me, const untyped_field<D>& of, [[maybe_unused]] std::size_t rows,
                       [[maybe_unused]] std::size_t columns) {
  const std::optional<message> one = me.receive();
  assert(one);
  const untyped_rows lent = of.lent(*one);
  assert(lent.rows == rows && lent.columns == columns);
  return lent;
}

}  // namespace

template <std::size_t D>
void lend_cells(vp& me, std::size_t to, const untyped_field<D>& of, const placed_grid<D>& from,
                const box<D>& cells, bool writable) {
  for_each_matrix(cells, [&](const point<D>& x, std::size_t rows, std::size_t columns) {
    of.lend(me, to, {from.at(x), rows, columns, row_stride(from.grid, columns)}, writable);
  });
}

template <std::size_t D>
void take_cells(vp& me, const untyped_field<D>& of, const placed_grid<D>& into,
                const box<D>& cells) {
  for_each_matrix(cells, [&](const point<D>& x, std::size_t rows, std::size_t columns) {
    const untyped_rows lent = next_rows(me, of, rows, columns);
    std::byte* const to = into.at(x);
    if (lent.data != to) copy_rows(lent, to, row_stride(into.grid, columns), into.grid.cell_bytes);
  });
}

template <std::size_t D>
std::byte* take_cells(vp& me, const untyped_field<D>& of, std::byte* into, const box<D>& cells) {
  const std::size_t cell_bytes = of.level[0].cell_bytes;
  for_each_matrix(cells, [&](const point<D>&, std::size_t rows, std::size_t columns) {
    copy_rows(next_rows(me, of, rows, columns), into, columns, cell_bytes);
    into += rows * columns * cell_bytes;
  });
  return into;
}

template <std::size_t D>
void copy_cells(const placed_grid<D>& from, const placed_grid<D>& into, const box<D>& cells) {
  for_each_matrix(cells, [&](const point<D>& x, std::size_t rows, std::size_t columns) {
    copy_rows({from.at(x), rows, columns, row_stride(from.grid, columns)}, into.at(x),
              row_stride(into.grid, columns), into.grid.cell_bytes);
  });
}

template <std::size_t D>
const std::byte* copy_cells(const std::byte* from, const placed_grid<D>& into,
                            const box<D>& cells) {
  for_each_matrix(cells, [&](const point<D>& x, std::size_t rows, std::size_t columns) {
    copy_rows({from, rows, columns, columns}, into.at(x), row_stride(into.grid, columns),
              into.grid.cell_bytes);
    from += rows * columns * into.grid.cell_bytes;
  });
  return from;
}

#define PLEAT_IN_DIMENSIONS(D)                                                                     \
  template void lend_cells<D>(vp&, std::size_t, const untyped_field<D>&, const placed_grid<D>&,    \
                              const box<D>&, bool);                                                \
  template void take_cells<D>(vp&, const untyped_field<D>&, const placed_grid<D>&, const box<D>&); \
  template std::byte* take_cells<D>(vp&, const untyped_field<D>&, std::byte*, const box<D>&);      \
  template void copy_cells<D>(const placed_grid<D>&, const placed_grid<D>&, const box<D>&);        \
  template const std::byte* copy_cells<D>(const std::byte*, const placed_grid<D>&, const box<D>&);
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
