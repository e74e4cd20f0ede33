// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "held_machine.hpp"
#include "numpy_array.hpp"
#include "stencil_arguments.hpp"

#include <arrays/weighted_stencil.hpp>

namespace pleat::python {
namespace {

namespace py = pybind11;

void weighted_stencil(held_machine* on, const py::array& of, const edges_asked& edges,
                      std::size_t steps, const py::array& cells, std::optional<std::size_t> vps) {
  const auto weights = read_from(of);
  const auto grid = write_to(cells);
  if (grid.type.kind != arrays::number_kind::floating ||
      (grid.type.bytes != 4 && grid.type.bytes != 8) || !(weights.type == grid.type))
    throw py::type_error("pleat: weights and cells are float32 or float64, both the same");
  const bool threes = std::ranges::all_of(weights.shape, [](std::size_t n) { return n == 3; });
  if (grid.shape.size() > 3 || weights.shape.size() != grid.shape.size() || !threes)
    throw py::value_error("pleat: weights have three numbers in each dimension of the grid");
  const stencil_options options = how_to_step(edges, vps);
  carry_out_whole(on, [&](machine& m) {
    return arrays::step_weighted_cells(m, weights, steps, grid, options);
  });
}

}  // namespace

void add_weighted_stencil(py::module_& to) { to.def("weighted_stencil", &weighted_stencil); }

}  // namespace pleat::python
