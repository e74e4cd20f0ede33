// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pleat/oblivious/detail/stencil/levels.hpp>
#include <pleat/oblivious/detail/stencil/transfer.hpp>

namespace pleat::detail::stencils {
namespace {

/// Calls visit(in level 0, in level 1, bytes) for every row of a box.
template <std::size_t D, class Visit>
void for_each_row(const untyped_field<D>& f, const point<D>& first, const box<D>& cells,
                  const Visit& visit) {
  if (cells.empty()) return;
  const placed_grid<D> user{f.level[0], first}, other{f.level[1], first};
  point<D> x;
  for (std::size_t i = 0; i < D; ++i) x[i] = cells.sides[i].first;
  const auto bytes = static_cast<std::size_t>(cells.sides[D - 1].size()) * f.level[0].cell_bytes;
  while (true) {
    visit(user.at(x), other.at(x), bytes);
    std::size_t i = D - 1;
    for (; i > 0; --i) {
      if (++x[i - 1] < cells.sides[i - 1].last) break;
      x[i - 1] = cells.sides[i - 1].first;
    }
    if (i == 0) return;
  }
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

#define PLEAT_IN_DIMENSIONS(D)                                                                    \
  template void move_to_other_level<D>(std::span<const untyped_field<D>>, const box<D>&, bool);   \
  template void copy_fixed_cells<D>(std::span<const untyped_field<D>>, const point<D>&,           \
                                    const std::array<offset, D>&, const std::array<boundary, D>&, \
                                    const box<D>&, unsigned);
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
