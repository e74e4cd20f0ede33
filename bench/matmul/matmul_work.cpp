// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <pleat/oblivious/matmul.hpp>

#include "matmul/rivals/matmul_rivals.hpp"
#include "matmul_data.hpp"
#include "matmul_types.hpp"
#include "measure/work.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t default_side = 2048;

template <class Semiring, class T>
contestant multiplier(matmul_data<Semiring, T>& data, const char* who, const auto& multiply) {
  return {who,
          [=, &data] {
            static_cast<void>(data.sample(multiply));
            data.verify(who);
          },
          [=, &data] { return data.sample(multiply); }};
}

template <class Semiring, class T>
duel matmul_duel(arena& on, const work_options& options, const char* work,
                 matmul_data<Semiring, T>& data) {
  const auto n = static_cast<double>(data.size());
  return {.work = work,
          .measure = "product of n x n matrices",
          .type = std::string(matmul_type_name<T>()),
          .n = data.size(),
          .processors = on.ours.processors(),
          .repetitions = options.repetitions.value_or(7),
          .ours = multiplier(data, "ours",
                             [&on](auto a, auto b, auto c) { matmul<Semiring>(on.ours, a, b, c); }),
          .rivals = {},
          .missing = {},
          .figure =
              [n](double seconds) {
                return absolute_figure{"operations_per_second", 2 * n * n * n / seconds};
              },
          .pace = single_calls};
}

template <class T>
void measure_plus_times(arena& on, const work_options& options, const referee& fight) {
  matmul_data<plus_times, T> data(options.size_or(default_side, 1, "matmul"), options.seed);
  duel duel = matmul_duel(on, options, "matmul", data);
#if PLEAT_WITH_OPENBLAS
  const auto make = [&] {
    auto blas = std::make_shared<openblas>(on.ours.processors());
    return multiplier(data, "openblas", [blas](auto a, auto b, auto c) {
      blas->multiply(a.rows, a.data, b.data, c.data);
    });
  };
#else
  const auto make = [] { return contestant(); };
#endif
  duel.challenge(options, "openblas", make);
  fight(duel);
}

template <class T>
void measure_shortest(arena& on, const work_options& options, const referee& fight) {
  matmul_data<min_plus, T> data(options.size_or(default_side, 1, "min-plus"), options.seed);
  duel duel = matmul_duel(on, options, "min-plus", data);
#if PLEAT_WITH_OPENMP
  const auto make = [&] {
    return multiplier(data, "openmp", [threads = on.ours.processors()](auto a, auto b, auto c) {
      openmp_min_plus<T>(a.rows, a.data, b.data, c.data, threads);
    });
  };
#else
  const auto make = [] { return contestant(); };
#endif
  duel.challenge(options, "openmp", make);
  fight(duel);
}

}  // namespace

void measure_matmul(arena& on, const work_options& options, const referee& fight) {
  with_blas_type(options.type_or("f64"),
                 [&]<class T>() { measure_plus_times<T>(on, options, fight); });
}

void measure_min_plus(arena& on, const work_options& options, const referee& fight) {
  with_matmul_type(options.type_or("f32"),
                   [&]<class T>() { measure_shortest<T>(on, options, fight); });
}

}  // namespace pleat::bench
