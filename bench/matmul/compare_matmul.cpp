// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <pleat/oblivious/matmul.hpp>

#include "bounds/bounds.hpp"
#include "matmul/rivals/matmul_rivals.hpp"
#include "matmul_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/number_types.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t default_side = 2048;

template <class Semiring, class T>
candidate multiplier(matmul_data<Semiring, T>& data, const char* who, const auto& multiply) {
  return {who,
          [=, &data] {
            static_cast<void>(data.sample(multiply));
            data.verify(who);
          },
          [=, &data] { return data.sample(multiply); }};
}

std::string measure_of(const product_shape& shape, std::size_t n) {
  const auto side = [n](std::size_t length) {
    return length == n ? std::string("n") : std::to_string(length);
  };
  if (shape.rows == n && shape.columns == n && shape.inner == n) return "product of n x n matrices";
  return "product of " + side(shape.rows) + " x " + side(shape.inner) + " and " +
         side(shape.inner) + " x " + side(shape.columns) + " matrices";
}

/// Multiply-adds of the parts.
template <class T> double steps_of(const product_shape& shape) {
  return shape.multiplications() * (std::is_arithmetic_v<T> ? 1 : 4);
}

std::size_t size_of(const benchmark_options& options) { return options.n.value_or(default_side); }

template <class Semiring, class T>
comparison matmul_comparison(testbed& on, const benchmark_options& options,
                             matmul_data<Semiring, T>& data) {
  const std::size_t n = size_of(options);
  const double steps = steps_of<T>(data.shape());
  return {.measure = measure_of(data.shape(), n),
          .type = type_name<T>(),
          .n = n,
          .processors = on.ours.processors(),
          .repetitions = options.repetitions.value_or(7),
          .ours = multiplier(data, "ours",
                             [&on](auto a, auto b, auto c) { matmul<Semiring>(on.ours, a, b, c); }),
          .figure =
              [steps](double seconds) {
                return absolute_figure{"operations_per_second", 2 * steps / seconds};
              },
          .pace = single_calls,
          .arrays = data.arrays()};
}

/// Adds the bound of as many steps of the kernels as the product has.
template <class Semiring, class T>
void add_steps(comparison& compared, const benchmark_options& options, const product_shape& shape) {
  add_registers<Semiring, decltype(std::real(T()))>(compared, options, steps_of<T>(shape));
}

template <class T>
void measure_plus_times(testbed& on, const benchmark_options& options, const runner& run) {
  const product_shape shape = shape_of(options.shape, size_of(options));
  matmul_data<plus_times, T> data(on.ours, shape, options.seed);
  comparison compared = matmul_comparison(on, options, data);
  for (const char* const who : {"openblas", "blis"})
    add_blas(compared, options, who, [&data, who](const blas_library& library) {
      return multiplier(data, who, [library](auto a, auto b, auto c) {
        library.multiply({a.rows, b.columns, a.columns}, a.data, b.data, c.data);
      });
    });
  add_steps<plus_times, T>(compared, options, shape);
  run(compared);
}

template <class Semiring, class T>
void measure_semiring(testbed& on, const benchmark_options& options, const runner& run) {
  const product_shape shape = shape_of(options.shape, size_of(options));
  matmul_data<Semiring, T> data(on.ours, shape, options.seed);
  comparison compared = matmul_comparison(on, options, data);
  compared.add_rival(options, "openmp", [&] {
    return multiplier(data, "openmp", [threads = on.ours.processors()](auto a, auto b, auto c) {
      if constexpr (PLEAT_WITH_OPENMP)
        openmp_product<Semiring, T>({a.rows, b.columns, a.columns}, a.data, b.data, c.data,
                                    threads);
    });
  });
  add_steps<Semiring, T>(compared, options, shape);
  run(compared);
}

void measure_matmul(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float, std::complex<float>, std::complex<double>>(
      options.type_or("f64"), [&]<class T>() { measure_plus_times<T>(on, options, run); });
}

template <class Semiring>
void measure_paths(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float, std::int32_t, std::int64_t>(
      options.type_or("f32"), [&]<class T>() { measure_semiring<Semiring, T>(on, options, run); });
}

// BLAS counts in int.
constexpr std::size_t most_side = std::numeric_limits<int>::max();

constexpr benchmark of_paths(std::string_view name, std::string_view summary,
                             decltype(benchmark::measure) measure) {
  return benchmark{name, summary, "rows", measure, "openmp, registers", "f64, f32, i32, i64"}.with(
      &benchmark::shapes, shape_names);
}

constexpr std::array benchmarks{
    benchmark{"matmul", "a product of matrices, square or thin (--shape)", "rows", measure_matmul,
              "openblas, blis, registers", "f64, f32, c64, c128"}
        .with(&benchmark::shapes, shape_names)
        .with(&benchmark::most_n, most_side),
    of_paths("min-plus", "one over (min, +)", measure_paths<min_plus>),
    of_paths("max-min", "one over (max, min)", measure_paths<max_min>),
};

}  // namespace

std::span<const benchmark> matmul_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
