// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/cholesky.hpp>

#include "bounds/bounds.hpp"
#include "dense_benchmark.hpp"
#include "dense_data.hpp"
#include "matmul/product_shape.hpp"
#include "rivals/dense_rivals.hpp"

namespace pleat::bench {
namespace {

template <class T> void measure(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(2048);
  const std::size_t m = options.shape == "matrix-panel" ? thin_side : n;
  const measured_matrix<T> a(on.ours, n, n), b(on.ours, n, m), x(on.ours, n, m);
  fill_triangle(a.numbers(), n, options.seed);
  fill_fractions(b.numbers(), options.seed + 1);
  const double side = static_cast<double>(n), steps = side * side / 2 * static_cast<double>(m);
  const compared_program program{
      .measure = "n x n triangle, " + (m == n ? std::string("n") : std::to_string(m)) +
                 " right-hand sides",
      .type = std::string(type_name<T>()),
      .n = n,
      .prepare = [&] { x.copy(b); },
      .right = [&] { return solution_right(a.read(), n, x.read(), b.read()); },
      .operations = 2 * steps,
      .arrays = {a.memory(), x.memory()}};
  comparison compared =
      comparison_of(program, on, options, [&] { solve_triangular(on.ours, a.view(), x.view()); });
  [[maybe_unused]] const auto by = [&](const char* who, const lapack& library) {
    return timed(program, who, [&a, &x, n, m, library] {
      library.solve(n, m, a.numbers().data(), x.numbers().data());
    });
  };
  compared.add_rival(options, "openblas", [&]() -> candidate {
#if PLEAT_WITH_OPENBLAS
    return by("openblas", lapack(openblas(compared.processors)));
#else
    return {};
#endif
  });
  compared.add_rival(options, "blis", [&]() -> candidate {
#if PLEAT_WITH_BLIS
    return by("blis", lapack(blis(compared.processors)));
#else
    return {};
#endif
  });
  add_registers<plus_times, T>(compared, options, steps);
  run(compared);
}

}  // namespace

void measure_solve_triangular(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"),
                           [&]<class T>() { measure<T>(on, options, run); });
}

}  // namespace pleat::bench
