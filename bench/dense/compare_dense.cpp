// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/transpose.hpp>

#include "bounds/bounds.hpp"
#include "dense_data.hpp"
#include "matmul/rivals/matmul_rivals.hpp"
#include "measure/benchmark.hpp"
#include "measure/number_types.hpp"
#include "path_kinds.hpp"
#include "rivals/dense_rivals.hpp"

namespace pleat::bench {
namespace {

/// Memory of a matrix in row-major order, without padding.
template <class T> class measured_matrix {
 public:
  measured_matrix(machine& on, std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), memory_(bytes_of({rows, columns, sizeof(T)}), on) {}

  [[nodiscard]] std::span<T> numbers() const { return memory_.as<T>(rows_ * columns_); }
  [[nodiscard]] std::span<const T> read() const { return numbers(); }
  [[nodiscard]] strided_view<T> view() const {
    return {numbers().data(), rows_, columns_, columns_};
  }
  void copy(const measured_matrix& from) const {
    std::memcpy(numbers().data(), from.numbers().data(), numbers().size_bytes());
  }
  [[nodiscard]] const big_block* memory() const { return &memory_; }

 private:
  std::size_t rows_, columns_;
  big_block memory_;
};

template <class T>
void add_rivals(comparison& compared, const benchmark_options& options,
                const compared_program& program, std::size_t n, const T* in, T* out) {
  const unsigned threads = compared.processors;
  add_openmp(compared, options, program, threads,
             [=](auto workers) { openmp::transpose(workers, n, in, out); });
  add_blas(compared, options, "openblas", [&](const blas_library& library) {
    return timed(program, "openblas", [=] { library.transpose(n, in, out); });
  });
}

template <class T>
void measure_transpose(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(4096);
  const measured_matrix<T> in(on.ours, n, n), out(on.ours, n, n);
  fill_fractions(in.numbers(), options.seed);
  compared_program program{.measure = "n x n matrix into another one",
                           .type = type_name<T>(),
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

template <class Semiring, class Kind, class T>
void measure_paths(testbed& on, const benchmark_options& options, const runner& run,
                   const char* measure) {
  const std::size_t n = options.n.value_or(2048);
  const measured_matrix<T> edges(on.ours, n, n), paths(on.ours, n, n);
  fill_edges<Kind>(edges.numbers(), n, options.seed);
  const double side = static_cast<double>(n), steps = side * side * side;
  const compared_program program{
      .measure = measure,
      .type = type_name<T>(),
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

void measure_closure(testbed& on, const benchmark_options& options, const runner& run) {
  if (options.type != "u8")
    with_type<float, double, std::int32_t, std::int64_t>(options.type_or("f32"), [&]<class T>() {
      measure_paths<min_plus, shortest_paths, T>(on, options, run, "all shortest paths, (min, +)");
      measure_paths<max_min, widest_paths, T>(on, options, run, "all widest paths, (max, min)");
    });
  if (options.type.empty() || options.type == "u8")
    measure_paths<or_and, any_paths, std::uint8_t>(on, options, run, "reachability, (or, and)");
}

template <class T>
void measure_cholesky(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(2048);
  const measured_matrix<T> a(on.ours, n, n), l(on.ours, n, n);
  fill_positive_definite(a.numbers(), n, options.seed);
  const double side = static_cast<double>(n), steps = side * side * side / 6;
  const compared_program program{.measure = "factorisation of an n x n matrix",
                                 .type = type_name<T>(),
                                 .n = n,
                                 .prepare = [&] { l.copy(a); },
                                 .right = [&] { return factor_right(a.read(), n, l.read()); },
                                 .operations = 2 * steps,
                                 .arrays = {l.memory()}};
  comparison compared = comparison_of(program, on, options, [&] { cholesky(on.ours, l.view()); });
  add_blas(compared, options, "openblas", [&](const blas_library& library) {
    return timed(program, "openblas",
                 [&l, n, library] { library.factorise(n, l.numbers().data()); });
  });
  add_registers<plus_times, T>(compared, options, steps);
  run(compared);
}

template <class T>
void measure_solve_triangular(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(2048);
  const std::size_t m = options.shape == "matrix-panel" ? thin_side : n;
  const measured_matrix<T> a(on.ours, n, n), b(on.ours, n, m), x(on.ours, n, m);
  fill_triangle(a.numbers(), n, options.seed);
  fill_fractions(b.numbers(), options.seed + 1);
  const double side = static_cast<double>(n), steps = side * side / 2 * static_cast<double>(m);
  const compared_program program{
      .measure = "n x n triangle, " + (m == n ? std::string("n") : std::to_string(m)) +
                 " right-hand sides",
      .type = type_name<T>(),
      .n = n,
      .prepare = [&] { x.copy(b); },
      .right = [&] { return solution_right(a.read(), n, x.read(), b.read()); },
      .operations = 2 * steps,
      .arrays = {a.memory(), x.memory()}};
  comparison compared =
      comparison_of(program, on, options, [&] { solve_triangular(on.ours, a.view(), x.view()); });
  for (const char* const who : {"openblas", "blis"})
    add_blas(compared, options, who, [&, who](const blas_library& library) {
      return timed(program, who, [&a, &x, n, m, library] {
        library.solve(n, m, a.numbers().data(), x.numbers().data());
      });
    });
  add_registers<plus_times, T>(compared, options, steps);
  run(compared);
}

/// Calls `Float` if the options ask for f32, else `Double`.
template <auto Double, auto Float>
void of_reals(testbed& on, const benchmark_options& options, const runner& run) {
  (options.type_or("f64") == std::string("f32") ? Float : Double)(on, options, run);
}

// LAPACK counts in int.
constexpr std::size_t most_side = std::numeric_limits<int>::max();

constexpr std::array benchmarks{
    benchmark{"transpose", "a square matrix transposed, out of place and in place", "rows",
              of_reals<&measure_transpose<double>, &measure_transpose<float>>,
              "openmp, openblas, bandwidth", "f64, f32"}
        .with(&benchmark::most_n, most_side),
    benchmark{"closure", "all shortest and widest paths; reachability (u8)", "vertices",
              measure_closure, "openmp, registers", "f32, f64, i32, i64, u8"}
        .with(&benchmark::least_n, 2),
    benchmark{"cholesky", "Cholesky's factorisation", "rows",
              of_reals<&measure_cholesky<double>, &measure_cholesky<float>>, "openblas, registers",
              "f64, f32"}
        .with(&benchmark::most_n, most_side),
    benchmark{"solve-triangular", "n right-hand sides of a triangular matrix, or 32 (--shape)",
              "rows", of_reals<&measure_solve_triangular<double>, &measure_solve_triangular<float>>,
              "openblas, blis, registers", "f64, f32"}
        .with(&benchmark::shapes, "square, matrix-panel")
        .with(&benchmark::most_n, most_side),
};

}  // namespace

std::span<const benchmark> dense_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
