// SPDX-License-Identifier: Apache-2.0
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

template <std::size_t D> void check_apart(std::span<const untyped_grid<D>> grids) {
  for (std::size_t i = 0; i < grids.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(grids[i], grids[j]))
        throw usage_error("stencil: two grids overlap; give each memory of its own");
}

#define PLEAT_IN_DIMENSIONS(D)                                                            \
  template void check_grid<D>(const untyped_grid<D>&, const std::array<std::size_t, D>&); \
  template void check_apart<D>(std::span<const untyped_grid<D>>);
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(2)
PLEAT_IN_DIMENSIONS(3)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::stencils
