// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/detail/stencil/rank_run.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail::stencils {

template <std::size_t D>
void check_grid(const untyped_grid<D>& grid, const std::array<std::size_t, D>& size) {
  if (grid.size != size)
    throw usage_error("stencil: the grids of a run must have the same size; give it such");
  if (grid.cells() == 0) return;
  std::size_t least = 1;
  for (std::size_t i = D; i-- > 0; least = grid.stride[i] * grid.size[i]) {
    const bool last = i + 1 == D;
    if (last ? grid.stride[i] != 1 : grid.stride[i] < least)
      throw usage_error("stencil: stride[" + std::to_string(i) + "] of a grid is " +
                        std::to_string(grid.stride[i]) + " and must be " +
                        (last ? "" : "at least ") + std::to_string(least) +
                        "; no cell may be in two places");
  }
}

template <std::size_t D> void check_apart(std::span<const untyped_grid<D>> grids) {
  for (std::size_t i = 0; i < grids.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(grids[i], grids[j]))
        throw usage_error("stencil: two grids overlap; give each memory of its own");
}

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

namespace {

/// Copies cells between grids.
template <std::size_t D>
void copy_cells(const placed_grid<D>& from, const placed_grid<D>& into, const box<D>& cells) {
  for_each_matrix(cells, [&](const point<D>& x, std::size_t rows, std::size_t columns) {
    copy_rows({from.at(x), rows, columns, row_stride(from.grid, columns)}, into.at(x),
              row_stride(into.grid, columns), into.grid.cell_bytes);
  });
}

/// Returns the cells of a box as they lie in memory that has nothing else, like those of a grid.
template <std::size_t D>
placed_grid<D> packed(const untyped_grid<D>& like, std::byte* data, const box<D>& cells) {
  placed_grid<D> all{like, {}};
  all.grid.data = data;
  std::size_t step = 1;
  for (std::size_t i = D; i-- > 0; step *= all.grid.size[i]) {
    all.first[i] = cells.sides[i].first;
    all.grid.size[i] = static_cast<std::size_t>(cells.sides[i].size());
    all.grid.stride[i] = step;
  }
  return all;
}

/// Calls visit(in level 0, in level 1, bytes) for every row of a box.
template <std::size_t D, class Visit>
void for_each_row(const untyped_field<D>& f, const point<D>& first, const box<D>& cells,
                  const Visit& visit) {
  const std::size_t cell_bytes = f.level[0].cell_bytes;
  for_each_matrix(cells, [&](const point<D>& x, std::size_t rows, std::size_t columns) {
    std::byte *user = placed_grid<D>{f.level[0], first}.at(x),
              *other = placed_grid<D>{f.level[1], first}.at(x);
    for (; rows > 0; --rows) {
      visit(user, other, columns * cell_bytes);
      user += row_stride(f.level[0], columns) * cell_bytes;
      other += row_stride(f.level[1], columns) * cell_bytes;
    }
  });
}

}  // namespace

template <std::size_t D>
void move_to_other_level(std::span<const untyped_field<D>> fields, const box<D>& cells, bool two) {
  for (const auto& f : fields)
    for_each_row(f, {}, cells, [two](std::byte* user, std::byte* other, std::size_t bytes) {
      if (two)
        std::swap_ranges(user, user + bytes, other);
      else
        std::copy_n(user, bytes, other);
    });
}

template <std::size_t D>
void copy_fixed_cells(std::span<const untyped_field<D>> fields, const point<D>& first,
                      const std::array<offset, D>& size, const std::array<boundary, D>& edges,
                      const box<D>& cells, unsigned start) {
  for (const auto& f : fields) {
    for (std::size_t i = 0; i < D; ++i) {
      if (edges[i] != boundary::fixed) continue;
      for (const offset face : {offset{0}, size[i] - 1}) {
        box<D> fixed = cells;
        fixed.sides[i] = intersect(fixed.sides[i], {face, face + 1});
        for_each_row(f, first, fixed, [&](std::byte* user, std::byte* other, std::size_t bytes) {
          std::copy_n(start == 0 ? user : other, bytes, start == 0 ? other : user);
        });
      }
    }
  }
}

namespace {

/// Calls visit(field, level) for all levels of the fields that the caller has.
template <std::size_t D, class Visit>
void for_each_level(const std::vector<untyped_field<D>>& fields, bool two, const Visit& visit) {
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (unsigned level = 0; level < (two ? 2U : 1U); ++level) visit(f, level);
}

/// Bytes of a cell on all these levels.
template <std::size_t D>
std::size_t level_bytes(const std::vector<untyped_field<D>>& fields, bool two) {
  std::size_t bytes = 0;
  for_each_level(fields, two, [&](std::size_t f, unsigned level) {
    bytes += fields[f].level[level].cell_bytes;
  });
  return bytes;
}

}  // namespace

template <std::size_t D>
rank_cells<D>::rank_cells(const std::array<offset, D>& size, const bands<D>& partition,
                          const distribution::rank_places& places, std::size_t rank)
    : size_(size),
      partition_(partition),
      rows_(static_cast<std::size_t>(size[0]), places),
      rank_(rank),
      here_(places[rank]),
      window_(partition.window({here_.first, here_.last})),
      landing_{0} {
  for (std::size_t p = here_.first; p < here_.last; ++p) {
    // The distance of cells from home grows with the steps of the last phase, so the most cells are
    // elsewhere after no phase or after the longest one.
    const std::size_t cells =
        std::max(held_elsewhere(p, {}), held_elsewhere(p, partition_.longest()));
    landing_.push_back(landing_.back() + cells);
  }
}

template <std::size_t D>
std::size_t rank_cells<D>::held_elsewhere(std::size_t q, const std::optional<phase>& last) const {
  std::size_t cells = share(q).size();
  for_each_held(q, last, [&](const box<D>& held, const point<D>&) {
    cells -= intersect(held, share(q)).size();
  });
  return cells;
}

template <std::size_t D> box<D> rank_cells<D>::share(std::size_t q) const noexcept {
  box<D> cells;
  for (std::size_t i = 0; i < D; ++i) cells.sides[i] = {0, size_[i]};
  const interval<> rows = rows_.part(q);
  cells.sides[0] = {static_cast<offset>(rows.first), static_cast<offset>(rows.last)};
  return cells;
}

template <std::size_t D>
placed_grid<D> rank_cells<D>::slab(const untyped_grid<D>& grid) const noexcept {
  placed_grid<D> placed{grid, {}};
  placed.first[0] = static_cast<offset>(rows_.block(rank_).first);
  return placed;
}

template <std::size_t D>
task<> rank_cells<D>::load(vp& me, const std::vector<untyped_field<D>>& slabs,
                           const std::vector<untyped_field<D>>& fields, bool two,
                           unsigned start) const {
  const std::size_t p = me.rank();
  const box<D> mine = share(p), wanted = home(p);
  for (std::size_t q = 0; q < partition_.holders(); ++q) {
    const box<D> cells = intersect(mine, home(q));
    if (q == p || cells.empty()) continue;
    for_each_level(slabs, two, [&](std::size_t f, unsigned level) {
      lend_cells(me, q, slabs[f], slab(slabs[f].level[level]), cells, false);
    });
  }
  co_await me.sync(0);
  for (std::size_t q = 0; q < rows_.vps(); ++q) {
    const box<D> cells = intersect(share(q), wanted);
    if (cells.empty()) continue;
    for_each_level(slabs, two, [&](std::size_t f, unsigned level) {
      const placed_grid<D> into = in_window(fields[f].level[level ^ start]);
      if (q == p)
        copy_cells(slab(slabs[f].level[level]), into, cells);
      else
        take_cells(me, fields[f], into, cells);
    });
  }
}

template <std::size_t D>
task<> rank_cells<D>::store(vp& me, const std::vector<untyped_field<D>>& slabs,
                            const std::vector<untyped_field<D>>& fields, bool two,
                            const phase& last, std::byte* landing) const {
  const std::size_t p = me.rank();
  const box<D> mine = share(p);
  for_each_held(p, last, [&](const box<D>& held, const point<D>& off) {
    for (std::size_t q = 0; q < rows_.vps(); ++q) {
      const box<D> cells = intersect(held, share(q));
      if (q == p || cells.empty()) continue;
      for_each_level(fields, two, [&](std::size_t f, unsigned level) {
        lend_cells(me, q, fields[f], in_window(fields[f].level[level]), moved(cells, off), false);
      });
    }
  });
  co_await me.sync(0);
  std::byte* const arrived = landing + landing_[p - here_.first] * level_bytes(fields, two);
  std::byte* to = arrived;
  for (std::size_t q = 0; q < partition_.holders(); ++q) {
    if (q == p) continue;
    for_each_held(q, last, [&](const box<D>& held, const point<D>&) {
      for_each_level(fields, two, [&](std::size_t f, unsigned) {
        const box<D> cells = intersect(held, mine);
        take_cells(me, fields[f], packed(fields[f].level[0], to, cells), cells);
        to += cells.size() * fields[f].level[0].cell_bytes;
      });
    });
  }
  co_await me.sync(0);
  std::byte* from = arrived;
  for (std::size_t q = 0; q < partition_.holders(); ++q) {
    for_each_held(q, last, [&](const box<D>& held, const point<D>& off) {
      const box<D> cells = intersect(held, mine);
      for_each_level(slabs, two, [&](std::size_t f, unsigned level) {
        const placed_grid<D> into = slab(slabs[f].level[level]);
        if (q == p) {
          placed_grid<D> own = in_window(fields[f].level[level]);
          for (std::size_t i = 0; i < D; ++i) own.first[i] -= off[i];
          copy_cells(own, into, cells);
        } else {
          copy_cells(packed(into.grid, from, cells), into, cells);
          from += cells.size() * into.grid.cell_bytes;
        }
      });
    });
  }
}

#define PLEAT_IN_DIMENSIONS(D)                                                                     \
  template void check_grid<D>(const untyped_grid<D>&, const std::array<std::size_t, D>&);          \
  template void check_apart<D>(std::span<const untyped_grid<D>>);                                  \
  template void lend_cells<D>(vp&, std::size_t, const untyped_field<D>&, const placed_grid<D>&,    \
                              const box<D>&, bool);                                                \
  template void take_cells<D>(vp&, const untyped_field<D>&, const placed_grid<D>&, const box<D>&); \
  template void move_to_other_level<D>(std::span<const untyped_field<D>>, const box<D>&, bool);    \
  template void copy_fixed_cells<D>(std::span<const untyped_field<D>>, const point<D>&,            \
                                    const std::array<offset, D>&, const std::array<boundary, D>&,  \
                                    const box<D>&, unsigned);                                      \
  template class rank_cells<D>;
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
