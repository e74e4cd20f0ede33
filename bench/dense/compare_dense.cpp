// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <span>

#include "dense_benchmark.hpp"

namespace pleat::bench {
namespace {

// LAPACK counts in int.
constexpr std::size_t most_side = std::numeric_limits<int>::max();

constexpr std::array benchmarks{
    benchmark{.name = "transpose",
              .group = "transpose",
              .summary = "a square matrix transposed, out of place and in place",
              .n_means = "rows",
              .measure = measure_transpose,
              .rivals = "openmp, openblas, bandwidth",
              .types = "f64, f32",
              .most_n = most_side},
    benchmark{.name = "closure",
              .group = "closure",
              .summary = "all shortest and widest paths; reachability (u8)",
              .n_means = "vertices",
              .measure = measure_closure,
              .rivals = "openmp, registers",
              .types = "f32, f64, i32, i64, u8",
              .least_n = 2},
    benchmark{.name = "cholesky",
              .group = "cholesky",
              .summary = "Cholesky's factorisation",
              .n_means = "rows",
              .measure = measure_cholesky,
              .rivals = "openblas, registers",
              .types = "f64, f32",
              .most_n = most_side},
    benchmark{.name = "solve-triangular",
              .group = "solve-triangular",
              .summary = "n right-hand sides of a triangular matrix, or 32 (--shape)",
              .n_means = "rows",
              .measure = measure_solve_triangular,
              .rivals = "openblas, blis, registers",
              .types = "f64, f32",
              .shapes = "square, matrix-panel",
              .most_n = most_side},
};

}  // namespace

std::span<const benchmark> dense_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
