// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <memory>

#include <pleat/oblivious/stencil.hpp>

#include "arrays/stencil_numbers.hpp"
#include "heat_data.hpp"
#include "measure/number_types.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

/// Advances a grid. In one and two dimensions the heat equation of arrays takes the same steps, and
/// is compiled.
template <class T, std::size_t D>
run_report advance_grid(machine& on, const grid_view<T, D>& grid, std::size_t steps,
                        const stencil_options& options) {
  if constexpr (D == 3) return stencil(on, grid, steps, heat_kernel<T, D>(), options);
  const auto& size = grid.size;
  const arrays::typed_array cells{{arrays::number_kind::floating, sizeof(T)},
                                  {size.begin(), size.end()},
                                  reinterpret_cast<std::byte*>(grid.data)};
  return arrays::step_cells(on, arrays::stencil_kernel::heat, steps, cells, {}, options);
}

template <class T, std::size_t D> prepared_program prepared(machine& on, const sweep_case& at) {
  const auto data = std::make_shared<heat_data<T, D>>(on, at.n, 1);
  const auto advance = [&on](const grid_view<T, D>& grid, std::size_t steps) {
    static_cast<void>(advance_grid(on, grid, steps, {}));
  };
  return {sizeof(T), [=] { return data->sample(advance); },
          [=] { data->verify("pleat::stencil", advance); },
          [data, &on](machine& other) {
            const std::size_t vps = detail::stencils::stencil_vps(
                on, data->cells() * sizeof(T), heat_data<T, D>::steps(), stencil_options());
            run_report report;
            static_cast<void>(data->sample([&](const grid_view<T, D>& grid, std::size_t steps) {
              report = advance_grid(other, grid, steps, {.vps = vps});
            }));
            return report;
          },
          data->arrays()};
}

template <std::size_t D> prepared_program prepare(machine& on, const sweep_case& at) {
  prepared_program result;
  with_type<double, float>(at.type, [&]<class T>() { result = prepared<T, D>(on, at); });
  return result;
}

/// `n`: the sizes, unless the user chooses.
template <std::size_t D>
constexpr sweep_program heat_program(std::string_view name, std::string_view n) {
  return {.name = name,
          .types = "f64, f32",
          .types_over_ranks = "f64, f32",
          .n = n,
          .operation = "all steps on a grid of side n",
          .step = "cells, each in each step",
          .steps =
              [](std::size_t side) {
                return std::pow(static_cast<double>(side), D) *
                       static_cast<double>(heat_data<double, D>::steps());
              },
          .prepare = prepare<D>,
          .dimensions = D};
}

constexpr std::array programs{
    heat_program<1>("stencil1", "2^16,2^20,2^24"),
    heat_program<2>("stencil2", "256,1024,4096"),
    heat_program<3>("stencil3", "64,192,384"),
};

}  // namespace

std::span<const sweep_program> stencil_sweeps() { return programs; }

}  // namespace pleat::bench
