// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <pleat/oblivious/stencil.hpp>

#include "bounds/bounds.hpp"
#include "heat_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/number_types.hpp"
#include "pleat_rivals_linked.hpp"
#include "stencil/rivals/stencil_rivals.hpp"

namespace pleat::bench {
namespace {

template <std::size_t D>
constexpr std::size_t default_side = D == 1   ? std::size_t{1} << 24
                                     : D == 2 ? 4096
                                              : 384;

/// Shapes in three dimensions: a cube, or as many planes as n says of n/8 × n/8 cells, whose rows
/// are short.
constexpr std::string_view box_shapes = "cube, planes";

std::size_t side_of(std::string_view shape, std::size_t n) {
  return shape == "planes" ? (n + 7) / 8 : n;
}

template <class T, std::size_t D>
void measure_heat(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_side<D>);
  heat_data<T, D> data(on.ours, n, side_of(options.shape, n), options.seed);
  const auto ours = [&on](auto grid, std::size_t steps) {
    stencil(on.ours, grid, steps, heat_kernel<T, D>());
  };
  comparison compared{.measure = std::to_string(data.steps()) + " steps of heat, " +
                                 std::to_string(2 * D + 1) + " points" +
                                 (data.side() == data.size() ? "" : ", n x n/8 x n/8 cells"),
                      .type = type_name<T>(),
                      .n = data.size(),
                      .processors = on.ours.processors(),
                      .repetitions = options.repetitions.value_or(5),
                      .ours = {"ours", [&] { data.verify("pleat::stencil", ours); },
                               [&] { return data.sample(ours); }},
                      .pace = single_calls,
                      .arrays = data.arrays()};
#if PLEAT_WITH_OPENMP
  const auto make = [&]() -> candidate {
    auto rival =
        std::make_shared<openmp_heat<T, D>>(data.size(), data.side(), on.ours.processors());
    return {"openmp",
            [&data, rival] {
              data.verify("openmp", [&](auto grid, std::size_t steps) {
                rival->load(grid.data);
                rival->advance(steps);
                rival->store(grid.data);
              });
            },
            [&data, rival] {
              rival->load(data.before.data());
              return data.sample([&](auto, std::size_t steps) { rival->advance(steps); });
            }};
  };
#else
  const auto make = [] { return candidate(); };
#endif
  compared.add_rival(options, "openmp", make);
  // A cell is the sum of 2D neighbours, a product, and a product and sum.
  const auto updates = static_cast<double>(data.cells()) * static_cast<double>(data.steps());
  add_registers<plus_times, T>(compared, options, static_cast<double>(2 * D + 1) * updates);
  run(compared);
}

template <std::size_t D>
void measure_stencil(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"),
                           [&]<class T>() { measure_heat<T, D>(on, options, run); });
}

template <std::size_t D>
constexpr benchmark heat_benchmark(std::string_view name, std::string_view summary,
                                   std::string_view n_means) {
  return {.name = name,
          .summary = summary,
          .n_means = n_means,
          .measure = measure_stencil<D>,
          .rivals = "openmp, registers",
          .types = "f64, f32",
          .group = "stencil",
          .shapes = D == 3 ? box_shapes : std::string_view()};
}

constexpr std::array benchmarks{
    heat_benchmark<1>("stencil1", "1000 steps of the heat equation on a row of cells, 3 points",
                      "cells"),
    heat_benchmark<2>("stencil2", "256 steps on a square, 5 points", "cells of a side"),
    heat_benchmark<3>("stencil3", "100 steps on a box, 7 points (--shape)", "planes"),
};

}  // namespace

std::span<const benchmark> stencil_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
