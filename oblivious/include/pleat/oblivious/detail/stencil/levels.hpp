// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/program.hpp>

namespace pleat::detail::stencils {

/// Where a cell of one level of a field is.
template <std::size_t D>
[[nodiscard]] std::byte* cell_at(const untyped_grid<D>& g,
                                 const std::array<offset, D>& x) noexcept {
  offset cells = 0;
  for (std::size_t i = 0; i < D; ++i) cells += x[i] * static_cast<offset>(g.stride[i]);
  return g.data + cells * static_cast<offset>(g.cell_bytes);
}

/// Before the first step: moves these cells of the user's grid to level `start`, and what never
/// changes to the other one too.
template <std::size_t D>
PLEAT_API void prepare_levels(const any_sweeper<D>& with, const box<D>& cells, unsigned start);

}  // namespace pleat::detail::stencils
