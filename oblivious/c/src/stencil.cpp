// SPDX-License-Identifier: Apache-2.0

#include "arrays/weighted_stencil.hpp"
#include "call.hpp"

using namespace pleat::c;  // NOLINT(google-build-using-namespace): the functions are of none

int pleat_stencil(pleat_machine* on, pleat_type type, size_t dimensions, const size_t* shape,
                  const void* coefficients, const int* boundaries, size_t steps, void* cells) {
  return guarded("pleat_stencil", {dimensions, steps}, [&](const char* caller) {
    const auto number =
        number_type_of(caller, type, {PLEAT_F32, PLEAT_F64}, "PLEAT_F32 or PLEAT_F64");
    if (dimensions == 0 || dimensions > 3)
      throw pleat::usage_error(std::string(caller) + ": a grid of " + std::to_string(dimensions) +
                               " dimensions; it takes 1 to 3");
    const auto sizes = counts_of(caller, "shape", shape, dimensions);
    require(caller, "coefficients", coefficients);
    pleat::boundary edges[3] = {};
    std::size_t all = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      all = product_of(caller, {all, sizes[i]}, number.bytes);
      if (boundaries != nullptr)
        edges[i] = choice(caller, "a boundary", boundaries[i], pleat::boundary::reflecting);
    }
    require(caller, "cells", cells, all, number.bytes);
    if (all == 0) return;
    pleat::stencil_options options;
    if (dimensions == 1) options.edges = edges[0];
    if (dimensions == 2) options.edges = {edges[0], edges[1]};
    if (dimensions == 3) options.edges = {edges[0], edges[1], edges[2]};
    const std::vector<std::size_t> threes(dimensions, 3);
    const auto here = machine_of(on);
    pleat::arrays::step_weighted_cells(*here, array_of(number, threes, coefficients), steps,
                                       array_of(number, sizes, cells), options);
  });
}
