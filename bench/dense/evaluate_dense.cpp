// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/transpose.hpp>

#include "dense_data.hpp"
#include "evaluate/evaluation_input.hpp"
#include "path_kinds.hpp"

namespace pleat::bench {
namespace {

constexpr accepted_sizes rows_of_matrix{"any number of rows from 2 to 4,096",
                                        [](std::size_t n) { return n >= 2 && n <= 4096; }};

template <class T> strided_view<T> square(std::vector<T>& elements, std::size_t n) {
  return {elements.data(), n, n, n};
}
template <class T> std::span<const T> numbers_of(const std::vector<T>& elements) {
  return elements;
}

cost_trace run_transpose(const evaluation_request& request) {
  machine on(traced(request));
  const std::size_t n = request.n;
  std::vector<double> in(n * n), out(n * n);
  fill_fractions(std::span(in), request.seed);
  run_report report =
      pleat::transpose(on, square(in, n), square(out, n), {.vps = request.virtual_processors()});
  verify(transposed_right(numbers_of(in), n, numbers_of(out)), "transpose");
  return *std::move(report.costs);
}

cost_trace run_closure(const evaluation_request& request) {
  machine on(traced(request));
  const std::size_t n = request.n;
  std::vector<std::int64_t> edges(n * n);
  fill_edges<shortest_paths>(std::span(edges), n, request.seed);
  std::vector<std::int64_t> paths = edges;
  run_report report =
      pleat::closure<min_plus>(on, square(paths, n), {.vps = request.virtual_processors()});
  verify(paths_right<shortest_paths>(numbers_of(edges), n, numbers_of(paths)), "closure");
  return *std::move(report.costs);
}

cost_trace run_cholesky(const evaluation_request& request) {
  machine on(traced(request));
  const std::size_t n = request.n;
  std::vector<double> a(n * n);
  fill_positive_definite(std::span(a), n, request.seed);
  std::vector<double> l = a;
  run_report report = pleat::cholesky(on, square(l, n), {.vps = request.virtual_processors()});
  verify(factor_right(numbers_of(a), n, numbers_of(l)), "cholesky");
  return *std::move(report.costs);
}

cost_trace run_solve(const evaluation_request& request) {
  machine on(traced(request));
  const std::size_t n = request.n;
  std::vector<double> a(n * n), b(n * n);
  fill_triangle(std::span(a), n, request.seed);
  fill_fractions(std::span(b), request.seed + 1);
  std::vector<double> x = b;
  run_report report = pleat::solve_triangular(on, square(a, n), square(x, n),
                                              {.vps = request.virtual_processors()});
  verify(solution_right(numbers_of(a), n, numbers_of(x), numbers_of(b)), "solve-triangular");
  return *std::move(report.costs);
}

constexpr evaluated_program of_rows(std::string_view name, std::string_view description,
                                    cost_trace (*run)(const evaluation_request&)) {
  return evaluated_program{name, description, rows_of_matrix,
                           run,  "n²/√p + σ", elimination_lower_bound}
      .with(&evaluated_program::takes_vps);
}

constexpr std::array programs{
    evaluated_program{"transpose", "an n × n matrix, a row a virtual processor", rows_of_matrix,
                      run_transpose, "n²/p + σ", transpose_lower_bound}
        .with(&evaluated_program::takes_vps),
    of_rows("closure", "all shortest paths of n vertices, in blocks", run_closure),
    of_rows("cholesky", "a factorisation of an n × n matrix, in blocks", run_cholesky),
    of_rows("solve-triangular",
            "n right-hand sides of a triangular matrix, a virtual processor for each", run_solve),
};

}  // namespace

std::span<const evaluated_program> dense_evaluations() { return programs; }

}  // namespace pleat::bench
