// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <string>

#include <pleat/oblivious/stencil.hpp>

#include "heat_data.hpp"
#include "measure/work.hpp"
#include "pleat_rivals_linked.hpp"
#include "stencil/rivals/stencil_rivals.hpp"

namespace pleat::bench {
namespace {

template <std::size_t D>
constexpr std::size_t default_side = D == 1   ? std::size_t{1} << 24
                                     : D == 2 ? 4096
                                              : 384;

template <class T, std::size_t D>
void measure_heat(arena& on, const work_options& options, const referee& fight, const char* type) {
  const std::string name = "stencil" + std::to_string(D);
  heat_data<T, D> data(options.size_or(default_side<D>, 1, name), options.seed);
  const auto ours = [&on](auto grid, std::size_t steps) {
    stencil(on.ours, grid, steps, heat_kernel<T, D>());
  };
  duel duel{.work = name,
            .measure = std::to_string(data.steps()) + " steps of heat, " +
                       std::to_string(2 * D + 1) + " points",
            .type = type,
            .n = data.size(),
            .processors = on.ours.processors(),
            .repetitions = options.repetitions.value_or(5),
            .ours = {"ours", [&] { data.verify("pleat::stencil", ours); },
                     [&] { return data.sample(ours); }},
            .rivals = {},
            .missing = {},
            .figure =
                [&data](double seconds) {
                  const auto updates =
                      static_cast<double>(data.cells()) * static_cast<double>(data.steps());
                  return absolute_figure{"updates_per_second", updates / seconds};
                },
            .pace = single_calls};
#if PLEAT_WITH_OPENMP
  const auto make = [&]() -> contestant {
    auto rival = std::make_shared<openmp_heat<T, D>>(data.size(), on.ours.processors());
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
  const auto make = [] { return contestant(); };
#endif
  duel.challenge(options, "openmp", make);
  fight(duel);
}

template <std::size_t D>
void measure_stencil(arena& on, const work_options& options, const referee& fight) {
  const std::string type = options.type_or("f64");
  with_heat_type(type, [&]<class T>() { measure_heat<T, D>(on, options, fight, type.c_str()); });
}

}  // namespace

void measure_stencil1(arena& on, const work_options& options, const referee& fight) {
  measure_stencil<1>(on, options, fight);
}
void measure_stencil2(arena& on, const work_options& options, const referee& fight) {
  measure_stencil<2>(on, options, fight);
}
void measure_stencil3(arena& on, const work_options& options, const referee& fight) {
  measure_stencil<3>(on, options, fight);
}

}  // namespace pleat::bench
