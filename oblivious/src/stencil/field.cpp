// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>

#include <pleat/oblivious/detail/stencil/field.hpp>
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

template <std::size_t D> bool may_overlap(const untyped_grid<D>& a, const untyped_grid<D>& b) {
  if (a.cells() == 0) return false;
  const auto first = [](const untyped_grid<D>& g) {
    return reinterpret_cast<std::uintptr_t>(g.data);
  };
  const auto bytes = [](const untyped_grid<D>& g) {
    std::size_t last = 1;
    for (std::size_t i = 0; i < D; ++i) last += (g.size[i] - 1) * g.stride[i];
    return last * g.cell_bytes;
  };
  const std::uintptr_t low = std::min(first(a), first(b)), high = std::max(first(a), first(b));
  const bool a_first = first(a) <= first(b);
  if (high - low >= (a_first ? bytes(a) : bytes(b))) return false;
  if (a.cell_bytes != b.cell_bytes || a.stride != b.stride || D == 1) return true;
  // Both grids have the same strides: they overlap unless their columns are disjoint.
  const std::size_t row = a.stride[D == 1 ? 0 : D - 2] * a.cell_bytes;
  const std::size_t apart = (high - low) % row;
  const std::size_t columns = a.size[D - 1] * a.cell_bytes;
  return apart < columns || apart + columns > row;
}

template <std::size_t D> void check_apart(std::span<const untyped_grid<D>> grids) {
  for (std::size_t i = 0; i < grids.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (may_overlap(grids[i], grids[j]))
        throw usage_error("stencil: two grids overlap; give each memory of its own");
}

#define PLEAT_IN_DIMENSIONS(D)                                                            \
  template void check_grid<D>(const untyped_grid<D>&, const std::array<std::size_t, D>&); \
  template bool may_overlap<D>(const untyped_grid<D>&, const untyped_grid<D>&);           \
  template void check_apart<D>(std::span<const untyped_grid<D>>);
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
