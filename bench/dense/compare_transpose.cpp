// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/transpose.hpp>

#include "bounds/bounds.hpp"
#include "dense_benchmark.hpp"
#include "dense_data.hpp"
#include "rivals/dense_rivals.hpp"

namespace pleat::bench {
namespace {

template <class T>
void add_rivals(comparison& compared, const benchmark_options& options,
                const compared_program& program, std::size_t n, const T* in, T* out) {
  const unsigned threads = compared.processors;
  add_openmp(compared, options, program, threads,
             [=](auto workers) { openmp::transpose(workers, n, in, out); });
  compared.add_rival(options, "openblas", [&]() -> candidate {
#if PLEAT_WITH_OPENBLAS
    return timed(program, "openblas",
                 [=, library = lapack(openblas(threads))] { library.transpose(n, in, out); });
#else
    return {};
#endif
  });
}

template <class T> void measure(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(4096);
  const measured_matrix<T> in(on.ours, n, n), out(on.ours, n, n);
  fill_fractions(in.numbers(), options.seed);
  compared_program program{.measure = "n x n matrix into another one",
                           .type = std::string(type_name<T>()),
                           .n = n,
                           .prepare = [&] { out.numbers()[0] = 2; },
                           .right = [&] { return transposed_right(in.read(), n, out.read()); },
                           .arrays = {in.memory(), out.memory()}};
  comparison compared =
      comparison_of(program, on, options, [&] { transpose(on.ours, in.view(), out.view()); });
  add_rivals(compared, options, program, n, in.numbers().data(), out.numbers().data());
  add_bandwidth(compared, options, std::as_bytes(in.numbers()), {},
                std::as_writable_bytes(out.numbers()));
  run(compared);

  program.measure = "n x n matrix in place";
  program.prepare = [&] { out.copy(in); };
  compared = comparison_of(program, on, options, [&] { transpose(on.ours, out.view()); });
  add_rivals(compared, options, program, n, out.numbers().data(), out.numbers().data());
  add_bandwidth(compared, options, std::as_bytes(out.numbers()), {},
                std::as_writable_bytes(out.numbers()));
  run(compared);
}

}  // namespace

void measure_transpose(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"),
                           [&]<class T>() { measure<T>(on, options, run); });
}

}  // namespace pleat::bench
