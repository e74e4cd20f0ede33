// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <memory>

#include <pleat/oblivious/matmul.hpp>

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

template <class Semiring, class T>
comparison matmul_comparison(testbed& on, const benchmark_options& options,
                             matmul_data<Semiring, T>& data) {
  const auto n = static_cast<double>(data.size());
  return {.measure = "product of n x n matrices",
          .type = std::string(type_name<T>()),
          .n = data.size(),
          .processors = on.ours.processors(),
          .repetitions = options.repetitions.value_or(7),
          .ours = multiplier(data, "ours",
                             [&on](auto a, auto b, auto c) { matmul<Semiring>(on.ours, a, b, c); }),
          .figure =
              [n](double seconds) {
                return absolute_figure{"operations_per_second", 2 * n * n * n / seconds};
              },
          .pace = single_calls,
          .arrays = data.arrays()};
}

template <class T>
void measure_plus_times(testbed& on, const benchmark_options& options, const runner& run) {
  matmul_data<plus_times, T> data(on.ours, options.n.value_or(default_side), options.seed);
  comparison compared = matmul_comparison(on, options, data);
#if PLEAT_WITH_OPENBLAS
  const auto make = [&] {
    auto blas = std::make_shared<openblas>(on.ours.processors());
    return multiplier(data, "openblas", [blas](auto a, auto b, auto c) {
      blas->multiply(a.rows, a.data, b.data, c.data);
    });
  };
#else
  const auto make = [] { return candidate(); };
#endif
  compared.add_rival(options, "openblas", make);
  run(compared);
}

template <class T>
void measure_shortest(testbed& on, const benchmark_options& options, const runner& run) {
  matmul_data<min_plus, T> data(on.ours, options.n.value_or(default_side), options.seed);
  comparison compared = matmul_comparison(on, options, data);
#if PLEAT_WITH_OPENMP
  const auto make = [&] {
    return multiplier(data, "openmp", [threads = on.ours.processors()](auto a, auto b, auto c) {
      openmp_min_plus<T>(a.rows, a.data, b.data, c.data, threads);
    });
  };
#else
  const auto make = [] { return candidate(); };
#endif
  compared.add_rival(options, "openmp", make);
  run(compared);
}

void measure_matmul(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"),
                           [&]<class T>() { measure_plus_times<T>(on, options, run); });
}

void measure_min_plus(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float, std::int32_t, std::int64_t>(
      options.type_or("f32"), [&]<class T>() { measure_shortest<T>(on, options, run); });
}

constexpr std::array benchmarks{
    benchmark{.name = "matmul",
              .group = "matmul",
              .summary = "a product of square matrices of f64 or f32",
              .n_means = "rows",
              .measure = measure_matmul,
              .rivals = "openblas",
              .types = "f64, f32"},
    benchmark{.name = "min-plus",
              .group = "matmul",
              .summary = "one over (min, +), of f32, f64, i32 or i64",
              .n_means = "rows",
              .measure = measure_min_plus,
              .rivals = "openmp",
              .types = "f64, f32, i32, i64"},
};

}  // namespace

std::span<const benchmark> matmul_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
