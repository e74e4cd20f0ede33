// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string_view>
#include <vector>

#include <pleat/oblivious/stencil_options.hpp>

#include "arrays/everyday_numbers.hpp"
#include "arrays/fft_numbers.hpp"
#include "arrays/matmul_numbers.hpp"
#include "arrays/sort_numbers.hpp"
#include "arrays/stencil_numbers.hpp"
#include "bindings.hpp"
#include "held_machine.hpp"
#include "numpy_array.hpp"

namespace pleat::python {
namespace {

namespace py = pybind11;

/// One for all dimensions, or one for each.
using edges_asked = std::vector<boundary>;

stencil_options how_to_step(const edges_asked& edges, std::optional<std::size_t> vps) {
  stencil_options options;
  if (edges.size() == 1) options.edges = edges[0];
  if (edges.size() == 2) options.edges = {edges[0], edges[1]};
  if (edges.size() == 3) options.edges = {edges[0], edges[1], edges[2]};
  options.vps = vps;
  return options;
}

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

using vps_asked = std::optional<std::size_t>;

void sort(held_machine* on, const py::array& array, vps_asked vps) {
  const auto numbers = write_to(array);
  carry_out(on, [&](machine& m) { return arrays::sort_numbers(m, numbers, {vps}); });
}

void argsort(held_machine* on, const py::array& keys, const py::array& indices, vps_asked vps) {
  const auto from = read_from(keys);
  const auto to = write_to(indices);
  carry_out(on, [&](machine& m) { return arrays::argsort_numbers(m, from, to, {vps}); });
}

void cumsum(held_machine* on, const py::array& array, const py::array& sums) {
  const auto numbers = read_from(array);
  const auto to = write_to(sums);
  if (!arrays::has_sums(numbers.type) || !(to.type == numbers.type) || to.shape != numbers.shape)
    throw py::type_error("pleat: no sums of these numbers");
  carry_out(on, [&](machine& m) { return arrays::sum_along_rows(m, numbers, to); });
}

void sum(held_machine* on, const py::array& array, bool exactly, const py::array& sums) {
  const auto numbers = read_from(array);
  const auto to = write_to(sums);
  const bool floating = numbers.type.kind == arrays::number_kind::floating;
  const arrays::number_type type =
      exactly ? arrays::number_type{arrays::number_kind::floating, 8} : numbers.type;
  if (!arrays::has_sums(numbers.type) || (exactly && !floating) || !(to.type == type) ||
      to.elements() != numbers.rows())
    throw py::type_error("pleat: no sums of these numbers");
  carry_out(on, [&](machine& m) { return arrays::total_of_rows(m, numbers, exactly, to); });
}

void top_k(held_machine* on, const py::array& array, bool greatest, const py::array& indices) {
  const auto numbers = read_from(array);
  const auto to = write_to(indices);
  if (!arrays::is_ranked(numbers.type) ||
      !(to.type == arrays::number_type{arrays::number_kind::signed_integer, 8}) ||
      to.rows() != (to.row() == 0 ? 0 : numbers.rows()) || to.row() > numbers.row())
    throw py::type_error("pleat: no indices of these numbers");
  carry_out(on, [&](machine& m) { return arrays::best_of_rows(m, numbers, greatest, to); });
}

using axis_list = std::vector<std::size_t>;

void transform(held_machine* on, const char* caller, arrays::fft_kind kind, fft_norm norm,
               const py::array& in, const py::array& out, const axis_list& axes,
               std::optional<std::size_t> size_of_last, vps_asked vps) {
  const auto from = strided(in);
  const auto to = strided_to_write(out);
  if (!arrays::transforms(kind, from.type) || !(to.type == arrays::spectrum_type(kind, from.type)))
    throw py::type_error("pleat: no transform of these types");
  carry_out(on, [&](machine& m) {
    return arrays::transform_along(caller, m, kind, from, to, axes, size_of_last, {norm, vps});
  });
}

void trigonometric(held_machine* on, const char* caller, bool sines, unsigned type, bool inverse,
                   fft_norm norm, std::optional<bool> orthogonalize, const py::array& in,
                   const py::array& out, const axis_list& axes, vps_asked vps) {
  const auto from = strided(in);
  const auto to = strided_to_write(out);
  if (from.type.kind != arrays::number_kind::floating || !(to.type == from.type) ||
      (from.type.bytes != 4 && from.type.bytes != 8))
    throw py::type_error("pleat: no transform of these types");
  const fft_direction direction = inverse ? fft_direction::inverse : fft_direction::forward;
  carry_out(on, [&](machine& m) {
    return arrays::transform_trigonometric(caller, m, sines, from, to,
                                           {type, direction, norm, orthogonalize, axes, vps});
  });
}

void matmul(held_machine* on, arrays::semiring_kind semiring, const py::array& a,
            const py::array& b, const py::array& c, vps_asked vps) {
  const auto type = number_type_of(c.dtype());
  if (!(number_type_of(a.dtype()) == type && number_type_of(b.dtype()) == type))
    throw py::type_error("pleat: the matrices have different dtypes");
  if (!arrays::has_products(semiring, type))
    throw py::type_error("pleat: no products of this dtype over this semiring");
  const auto left = factor(a);
  const auto right = factor(b);
  const auto to = product(c);
  carry_out(on, [&](machine& m) {
    return arrays::multiply_matrices(m, semiring, type, left, right, to, vps);
  });
}

void matmul_argmin(held_machine* on, const py::array& a, const py::array& b, const py::array& c,
                   const py::array& places, vps_asked vps) {
  const auto type = number_type_of(c.dtype());
  if (!(number_type_of(a.dtype()) == type && number_type_of(b.dtype()) == type))
    throw py::type_error("pleat: the matrices have different dtypes");
  if (!arrays::has_places(type) ||
      !(number_type_of(places.dtype()) ==
        arrays::number_type{arrays::number_kind::signed_integer, type.bytes}))
    throw py::type_error("pleat: no places of minima of this dtype");
  const auto left = factor(a), right = factor(b);
  const auto to = product(c), where = product(places);
  carry_out(on, [&](machine& m) {
    return arrays::multiply_with_places(m, type, left, right, to, where, vps);
  });
}

bool has_places(const py::dtype& type) { return arrays::has_places(number_type_of(type)); }

bool has_products(arrays::semiring_kind semiring, const py::dtype& type) {
  return arrays::has_products(semiring, number_type_of(type));
}

void stencil(held_machine* on, arrays::stencil_kernel kernel, const edges_asked& edges,
             std::size_t steps, const py::array& cells, const std::optional<py::array>& before,
             vps_asked vps) {
  const auto grid = write_to(cells);
  if (!arrays::steps_cells(kernel, grid.type))
    throw py::type_error("pleat: the kernel does not take cells of this dtype");
  const auto earlier = before ? write_to(*before) : arrays::typed_array{grid.type, {}};
  const stencil_options options = how_to_step(edges, vps);
  carry_out_whole(
      on, [&](machine& m) { return arrays::step_cells(m, kernel, steps, grid, earlier, options); });
}

// A class of names in their order, as Python's code says them.
template <class E, class Names>
void add_names(py::module_& to, const char* type, const Names& names) {
  py::enum_<E> members(to, type, py::module_local());
  for (std::size_t i = 0; i < names.size(); ++i)
    members.value(std::string(names[i]).c_str(), static_cast<E>(i));
}

}  // namespace

void add_programs(py::module_& to) {
  constexpr std::array<std::string_view, 4> norms{"backward", "forward", "ortho", "none"};
  static_assert(static_cast<int>(fft_norm::none) == 3);
  add_names<arrays::fft_kind>(to, "fft_kind", arrays::fft_kind_names);
  add_names<fft_norm>(to, "fft_norm", norms);
  add_names<arrays::semiring_kind>(to, "semiring", arrays::semiring_names);
  add_names<arrays::stencil_kernel>(to, "kernel", arrays::stencil_kernel_names);
  add_names<boundary>(to, "boundary", arrays::boundary_names);
  to.def("sort", &sort);
  to.def("argsort", &argsort);
  to.def("cumsum", &cumsum);
  to.def("sum", &sum);
  to.def("top_k", &top_k);
  to.def("matmul_argmin", &matmul_argmin);
  to.def("has_places", &has_places);
  to.def("transform", &transform);
  to.def("trigonometric", &trigonometric);
  to.def("matmul", &matmul);
  to.def("has_products", &has_products);
  to.def("stencil", &stencil);
  to.def("weighted_stencil", &weighted_stencil);
}

}  // namespace pleat::python
