// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <pleat/oblivious/detail/stencil/box.hpp>
#include <pleat/oblivious/detail/stencil/field.hpp>
#include <pleat/oblivious/grid_view.hpp>

namespace pleat::detail::stencils {

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

}  // namespace pleat::detail::stencils
