// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/stencil_options.hpp>
#include <pleat/runtime/machine.hpp>

#include "typed_array.hpp"

namespace pleat::arrays {

/// Computes that many steps of a grid of one to three dimensions in place: every cell becomes the
/// sum of itself and its neighbours, each times a weight. `weights` has three numbers in each
/// dimension, in the order of memory. Requires: float or double, in both arrays. Returns and throws
/// as pleat::stencil.
run_report step_weighted_cells(machine& on, const typed_array& weights, std::size_t steps,
                               const typed_array& grid, const stencil_options& options = {});

}  // namespace pleat::arrays
