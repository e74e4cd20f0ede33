// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/cholesky.hpp>

#include "bounds/bounds.hpp"
#include "dense_benchmark.hpp"
#include "dense_data.hpp"
#include "rivals/dense_rivals.hpp"

namespace pleat::bench {
namespace {

template <class T> void measure(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(2048);
  const measured_matrix<T> a(on.ours, n, n), l(on.ours, n, n);
  fill_positive_definite(a.numbers(), n, options.seed);
  const double side = static_cast<double>(n), steps = side * side * side / 6;
  const compared_program program{.measure = "factorisation of an n x n matrix",
                                 .type = std::string(type_name<T>()),
                                 .n = n,
                                 .prepare = [&] { l.copy(a); },
                                 .right = [&] { return factor_right(a.read(), n, l.read()); },
                                 .operations = 2 * steps,
                                 .arrays = {l.memory()}};
  comparison compared = comparison_of(program, on, options, [&] { cholesky(on.ours, l.view()); });
  compared.add_rival(options, "openblas", [&]() -> candidate {
#if PLEAT_WITH_OPENBLAS
    return timed(program, "openblas", [&l, n, library = lapack(openblas(compared.processors))] {
      library.factorise(n, l.numbers().data());
    });
#else
    return {};
#endif
  });
  add_registers<plus_times, T>(compared, options, steps);
  run(compared);
}

}  // namespace

void measure_cholesky(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"),
                           [&]<class T>() { measure<T>(on, options, run); });
}

}  // namespace pleat::bench
