// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/view.hpp>

#include "fft_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "measure/number_types.hpp"
#include "pleat_rivals_linked.hpp"
#if PLEAT_WITH_FFTW
#include "fft/rivals/fftw_transform.hpp"
#endif

namespace pleat::bench {
namespace {

constexpr std::size_t default_size = std::size_t{1} << 20;
constexpr std::size_t default_side = 2048;

std::string measure_of(const fft_shape& shape) {
  if (shape.rows != 1) return "one transform of an n x n matrix";
  return shape.batch == 1 ? "one transform" : std::to_string(shape.batch) + " transforms";
}

template <class Number> constexpr const char* name_of() {
  if (std::floating_point<Number>) return sizeof(Number) == 4 ? "f32" : "f64";
  return sizeof(Number) == 8 ? "c64" : "c128";
}

// Operations as transforms are commonly compared by, 5·n·log2(n), half of them for real numbers;
// nobody does exactly as many.
template <class Number> double operations(const fft_shape& shape) {
  const auto n = static_cast<double>(shape.numbers());
  return (std::floating_point<Number> ? 2.5 : 5) * n * std::log2(n) *
         static_cast<double>(shape.batch);
}

// transform(machine, data) is ours.
template <class Number, class Transform>
void measure_transforms(testbed& on, const benchmark_options& options, const runner& run,
                        const fft_shape& shape, const Transform& transform) {
  fft_data<Number> data(on.ours, shape, options.seed);
  const unsigned threads = on.ours.processors();
  const auto timed = [&data](const auto& transform_all, const char* who) {
    const auto sample = [transform_all] {
      const auto start = benchmark_clock::now();
      transform_all();
      return seconds_since(start);
    };
    return candidate{who,
                     [&data, sample, who] {
                       std::ranges::fill(data.to, std::complex<fft_part<Number>>());
                       static_cast<void>(sample());
                       data.verify(who);
                     },
                     sample};
  };
  comparison compared{
      .measure = measure_of(shape),
      .type = name_of<Number>(),
      .n = shape.columns,
      .processors = threads,
      .repetitions = options.repetitions.value_or(11),
      .ours = timed([&on, &data, &transform] { transform(on.ours, data); }, "ours"),
      .figure =
          [&shape](double median) {
            return absolute_figure{"gflops", operations<Number>(shape) / median / 1e9};
          },
      .pace = single_calls,
      .arrays = data.arrays()};
  const auto add = [&](const char* name, [[maybe_unused]] bool measure) {
    compared.add_rival(options, name, [&]() -> candidate {
#if PLEAT_WITH_FFTW
      const auto fftw = std::make_shared<fftw_transform<Number>>(shape, data.from.data(),
                                                                 data.to.data(), threads, measure);
      data.fill();
      return timed([fftw] { (*fftw)(); }, name);
#else
      throw error("FFTW is not linked");
#endif
    });
  };
  add("fftw-measure", true);
  add("fftw-estimate", false);
  run(compared);
}

fft_shape row_of(const benchmark_options& options) {
  const std::size_t n = options.n.value_or(default_size);
  return {.columns = n, .batch = fft_batch(n)};
}

fft_shape square_of(const benchmark_options& options) {
  const std::size_t side = options.n.value_or(default_side);
  return {.rows = side, .columns = side};
}

template <class C> strided_view<C> matrix(const fft_shape& shape, std::span<C> numbers) {
  return {numbers.data(), shape.rows, shape.columns, shape.columns};
}

void measure_fft(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"), [&]<class T>() {
    measure_transforms<std::complex<T>>(
        on, options, run, row_of(options), [](machine& ours, const auto& data) {
          static_cast<void>(pleat::fft(ours, data.from, data.to, {.batch = data.shape().batch}));
        });
  });
}

void measure_rfft(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"), [&]<class T>() {
    measure_transforms<T>(on, options, run, row_of(options), [](machine& ours, const auto& data) {
      static_cast<void>(pleat::rfft(ours, data.from, data.to, {.batch = data.shape().batch}));
    });
  });
}

void measure_fft2(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<double, float>(options.type_or("f64"), [&]<class T>() {
    measure_transforms<std::complex<T>>(
        on, options, run, square_of(options), [](machine& ours, const auto& data) {
          static_cast<void>(
              pleat::fft2(ours, matrix(data.shape(), data.from), matrix(data.shape(), data.to)));
        });
  });
}

constexpr auto rivals = "fftw-measure, fftw-estimate";

constexpr std::array benchmarks{
    benchmark{.name = "fft",
              .group = "fft",
              .summary = "Fourier transforms out of place; batches of them up to 2^16 numbers",
              .n_means = "complex numbers of a transform",
              .measure = measure_fft,
              .rivals = rivals,
              .types = "f64, f32",
              .least_n = 2},
    benchmark{.name = "rfft",
              .group = "rfft",
              .summary = "the same of real numbers",
              .n_means = "real numbers of a transform",
              .measure = measure_rfft,
              .rivals = rivals,
              .types = "f64, f32",
              .least_n = 2},
    benchmark{.name = "fft2",
              .group = "fft2",
              .summary = "a Fourier transform of a square matrix of complex numbers",
              .n_means = "rows",
              .measure = measure_fft2,
              .rivals = rivals,
              .types = "f64, f32",
              .least_n = 2},
};

}  // namespace

std::span<const benchmark> fft_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
