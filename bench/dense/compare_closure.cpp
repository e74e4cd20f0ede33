// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <pleat/oblivious/closure.hpp>

#include "bounds/bounds.hpp"
#include "dense_benchmark.hpp"
#include "path_kinds.hpp"
#include "rivals/dense_rivals.hpp"

namespace pleat::bench {
namespace {

template <class Semiring, class Kind, class T>
void measure(testbed& on, const benchmark_options& options, const runner& run,
             const char* measure) {
  const std::size_t n = options.n.value_or(2048);
  const measured_matrix<T> edges(on.ours, n, n), paths(on.ours, n, n);
  fill_edges<Kind>(edges.numbers(), n, options.seed);
  const double side = static_cast<double>(n), steps = side * side * side;
  const compared_program program{
      .measure = measure,
      .type = sizeof(T) == 1 ? "u8" : std::string(type_name<T>()),
      .n = n,
      .prepare = [&] { paths.copy(edges); },
      .right = [&] { return paths_right<Kind>(edges.read(), n, paths.read()); },
      .operations = 2 * steps,
      .arrays = {paths.memory()}};
  comparison compared =
      comparison_of(program, on, options, [&] { closure<Semiring>(on.ours, paths.view()); });
  add_openmp(compared, options, program, compared.processors,
             [&](auto workers) { openmp::find_paths<Kind>(workers, n, paths.numbers().data()); });
  if constexpr (sizeof(T) > 1) add_registers<Semiring, T>(compared, options, steps);
  run(compared);
}

}  // namespace

void measure_closure(testbed& on, const benchmark_options& options, const runner& run) {
  if (options.type != "u8")
    with_type<float, double, std::int32_t, std::int64_t>(options.type_or("f32"), [&]<class T>() {
      measure<min_plus, shortest_paths, T>(on, options, run, "all shortest paths, (min, +)");
      measure<max_min, widest_paths, T>(on, options, run, "all widest paths, (max, min)");
    });
  if (options.type.empty() || options.type == "u8")
    measure<or_and, any_paths, std::uint8_t>(on, options, run, "reachability, (or, and)");
}

}  // namespace pleat::bench
