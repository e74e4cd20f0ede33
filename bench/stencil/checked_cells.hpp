// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/oblivious/grid_view.hpp>

#include "arrays/stencil_numbers.hpp"
#include "tool/npy.hpp"

namespace pleat::bench {

using arrays::stencil_kernel;

/// Throws: pleat::usage_error naming those there are.
[[nodiscard]] stencil_kernel parse_stencil_kernel(const std::string& name);
[[nodiscard]] boundary parse_boundary(const std::string& name);
/// Dimensions of the kernel's grids: one to three; two for life.
[[nodiscard]] npy_dimensions dimensions_of(stencil_kernel kernel);

/// Throws: pleat::error, with the NumPy call that helps, for cells the kernel does not take.
void check_cells(stencil_kernel kernel, const npy_contents& grid, const std::string& name);

}  // namespace pleat::bench
