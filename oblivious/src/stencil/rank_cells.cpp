// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/stencil/rank_cells.hpp>

namespace pleat::detail::stencils {
namespace {

template <std::size_t D> std::size_t cells_of(const box<D>& cells) noexcept {
  std::size_t count = 1;
  for (const range& side : cells.sides) count *= static_cast<std::size_t>(side.size());
  return count;
}

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
  std::size_t cells = cells_of(share(q));
  for_each_held(q, last, [&](const box<D>& held, const point<D>&) {
    cells -= cells_of(intersect(held, share(q)));
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
        to = take_cells(me, fields[f], to, intersect(held, mine));
      });
    });
  }
  co_await me.sync(0);
  const std::byte* from = arrived;
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
          from = copy_cells(from, into, cells);
        }
      });
    });
  }
}

template class rank_cells<1>;
template class rank_cells<2>;
template class rank_cells<3>;

}  // namespace pleat::detail::stencils
