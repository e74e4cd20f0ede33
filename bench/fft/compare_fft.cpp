// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/dct.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fft_plan.hpp>
#include <pleat/oblivious/fftn.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/view.hpp>

#include "bounds/bounds.hpp"
#include "fft/rivals/ducc_transform.hpp"
#include "fft/rivals/fftw_transform.hpp"
#include "fft_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "measure/number_types.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {
namespace {

std::string measure_of(const fft_shape& shape) {
  if (shape.planes != 1)
    return "one transform of n x n x " +
           (shape.columns == shape.planes ? std::string("n") : std::to_string(shape.columns)) +
           " numbers";
  if (shape.rows != 1) return "one transform of an n x n matrix";
  return shape.batch == 1 ? "one transform" : std::to_string(shape.batch) + " transforms";
}

/// Operations as transforms are commonly compared by, 5·n·log2(n), half of them for real numbers;
/// nobody does exactly as many.
template <class Number> double operations(const fft_shape& shape) {
  const auto n = static_cast<double>(shape.numbers());
  return (std::floating_point<Number> ? 2.5 : 5) * n * std::log2(n) *
         static_cast<double>(shape.batch);
}

/// A transform of ours beside FFTW's of the same numbers. transform(machine, data) is ours; on one
/// processor, `calls` of them in a sample, if more than 1.
template <class Number, class Data = fft_data<Number>, class Transform>
void compare_transforms(testbed& on, const benchmark_options& options, const runner& run,
                        const fft_shape& shape, const Transform& transform, std::size_t calls = 1) {
  Data data(on.ours, shape, options.seed);
  const unsigned threads = calls > 1 ? 1 : on.ours.processors();
  const auto timed = [&data, calls](const auto& transform_all, const char* who) {
    const auto sample = [transform_all, calls] {
      const auto start = benchmark_clock::now();
      for (std::size_t i = 0; i < calls; ++i) transform_all();
      return seconds_since(start) / static_cast<double>(calls);
    };
    return candidate{who,
                     [&data, sample, who] {
                       std::ranges::fill(data.to, 0);
                       static_cast<void>(sample());
                       data.verify(who);
                     },
                     sample};
  };
  comparison compared{.measure = measure_of(shape),
                      .type = type_name<Number>(),
                      .n = shape.planes != 1 ? shape.planes : shape.columns,
                      .processors = threads,
                      .repetitions = options.repetitions.value_or(11),
                      .ours = timed([&on, &data, &transform] { transform(on.ours, data); }, "ours"),
                      .pace = single_calls,
                      .arrays = data.arrays()};
  const auto add = [&](const char* name, [[maybe_unused]] bool measure) {
    compared.add_rival(options, name, [&]() -> candidate {
#if PLEAT_WITH_FFTW
      const auto fftw = fftw_transform(shape, data.from.data(), data.to.data(), threads, measure);
      data.fill();
      return timed(fftw, name);
#else
      throw error("FFTW is not linked");
#endif
    });
  };
  add("fftw-measure", true);
  add("fftw-estimate", false);
  compared.add_rival(options, "ducc", [&]() -> candidate {
    if constexpr (PLEAT_WITH_DUCC)
      return timed(ducc_transform(shape, data.from.data(), data.to.data(), threads), "ducc");
    throw error("DUCC is not linked");
  });
  // A fused step is two operations. What is read and written at least are the numbers once.
  add_registers<plus_times, fft_part<Number>>(compared, options, operations<Number>(shape) / 2);
  const auto read = std::as_bytes(data.from);
  const auto written = std::as_writable_bytes(data.to);
  add_bandwidth(compared, options, read, {}, written.first(std::min(read.size(), written.size())));
  run(compared);
}

constexpr std::size_t default_size = std::size_t{1} << 20;
constexpr std::size_t default_side = 2048;
constexpr std::size_t default_box = 128;
constexpr std::size_t default_planned = 512;

enum class numbers { complex, real };

// measure.operator()<Number>(), complex or real numbers of the type that was asked for.
template <numbers Of, class Measure>
void with_numbers(const benchmark_options& options, const Measure& measure) {
  with_type<double, float>(options.type_or("f64"), [&]<class T>() {
    measure.template operator()<std::conditional_t<Of == numbers::real, T, std::complex<T>>>();
  });
}

template <numbers Of>
void measure_rows(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_size);
  with_numbers<Of>(options, [&]<class Number>() {
    compare_transforms<Number>(
        on, options, run, {.columns = n, .batch = fft_batch(n)},
        [](machine& ours, const auto& data) {
          if constexpr (std::floating_point<Number>)
            static_cast<void>(pleat::rfft(ours, data.from, data.to, {.batch = data.shape().batch}));
          else
            static_cast<void>(pleat::fft(ours, data.from, data.to, {.batch = data.shape().batch}));
        });
  });
}

void measure_cosines(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_size);
  with_numbers<numbers::real>(options, [&]<class T>() {
    compare_transforms<T, cosine_data<T>>(
        on, options, run, {.columns = n, .batch = fft_batch(n)},
        [](machine& ours, const auto& data) {
          const auto& shape = data.shape();
          const array_view from(data.from.data(), {shape.batch, shape.columns});
          const array_view to(data.to.data(), {shape.batch, shape.columns});
          static_cast<void>(pleat::dct(ours, from, to, {.axes = {{1}}}));
        });
  });
}

template <class C> strided_view<C> matrix(const fft_shape& shape, std::span<C> numbers) {
  return {numbers.data(), shape.rows, shape.columns, shape.columns};
}

void measure_square(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t side = options.n.value_or(default_side);
  with_numbers<numbers::complex>(options, [&]<class Number>() {
    compare_transforms<Number>(
        on, options, run, {.rows = side, .columns = side}, [](machine& ours, const auto& data) {
          static_cast<void>(
              pleat::fft2(ours, matrix(data.shape(), data.from), matrix(data.shape(), data.to)));
        });
  });
}

/// Boxes of several planes: a cube, or one whose rows are short.
constexpr std::string_view box_shapes = "cube, slab";

template <numbers Of>
void measure_box(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t side = options.n.value_or(default_box);
  const std::size_t row = options.shape == "slab" ? (side + 7) / 8 : side;
  with_numbers<Of>(options, [&]<class Number>() {
    compare_transforms<Number>(
        on, options, run, {.planes = side, .rows = side, .columns = row},
        [](machine& ours, const auto& data) {
          const auto& shape = data.shape();
          const array_view from(data.from.data(), {shape.planes, shape.rows, shape.columns});
          const array_view to(data.to.data(),
                              {shape.planes, shape.rows, spectrum_columns<Number>(shape)});
          if constexpr (std::floating_point<Number>)
            static_cast<void>(pleat::rfftn(ours, from, to));
          else
            static_cast<void>(pleat::fftn(ours, from, to));
        });
  });
}

template <class Number> struct plan_of { using type = rfft_plan<Number>; };
template <class T> struct plan_of<std::complex<T>> { using type = fft_plan<T>; };

template <numbers Of>
void measure_plan(testbed& on, const benchmark_options& options, const runner& run) {
  const std::size_t n = options.n.value_or(default_planned);
  // Enough calls to make a sample long enough for the clock.
  const std::size_t calls = std::max<std::size_t>((std::size_t{1} << 18) / n, 2);
  with_numbers<Of>(options, [&]<class Number>() {
    typename plan_of<Number>::type plan(n);
    compare_transforms<Number>(
        on, options, run, {.columns = n},
        [&plan](machine&, const auto& data) { plan(data.from, data.to); }, calls);
  });
}

// Settings that all of them have in common.
constexpr benchmark beside_fftw(benchmark of) {
  of.rivals = "fftw-measure, fftw-estimate, ducc, registers, bandwidth";
  of.types = "f64, f32";
  of.least_n = 2;
  return of;
}

constexpr std::size_t longest_planned = std::size_t{1} << 20;

constexpr std::array benchmarks{
    beside_fftw({"fft", "Fourier transforms out of place; batches of them up to 2^16 numbers",
                 "complex numbers of a transform", measure_rows<numbers::complex>}),
    beside_fftw({"rfft", "the same of real numbers", "real numbers of a transform",
                 measure_rows<numbers::real>}),
    beside_fftw({"dct", "cosine transforms of type 2 out of place, in batches as fft",
                 "real numbers of a transform", measure_cosines}),
    beside_fftw({"fft2", "a Fourier transform of a square matrix of complex numbers", "rows",
                 measure_square}),
    beside_fftw({"fftn", "a Fourier transform of a box of complex numbers (--shape)", "planes",
                 measure_box<numbers::complex>})
        .with(&benchmark::shapes, box_shapes),
    beside_fftw({"rfftn", "the same of real numbers", "planes", measure_box<numbers::real>})
        .with(&benchmark::shapes, box_shapes),
    beside_fftw({"fft-plan", "a short Fourier transform by one thread, planned before",
                 "complex numbers", measure_plan<numbers::complex>})
        .with(&benchmark::most_n, longest_planned),
    beside_fftw(
        {"rfft-plan", "the same of real numbers", "real numbers", measure_plan<numbers::real>})
        .with(&benchmark::group, "fft-plan")
        .with(&benchmark::most_n, longest_planned),
};

}  // namespace

std::span<const benchmark> fft_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
