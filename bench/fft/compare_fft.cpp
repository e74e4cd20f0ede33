// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/dct.hpp>
#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fft_plan.hpp>
#include <pleat/oblivious/fftn.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/runtime/view.hpp>

#include "compared_transforms.hpp"
#include "fft_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/number_types.hpp"

namespace pleat::bench {
namespace {

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
  of.rivals = "fftw-measure, fftw-estimate, registers, bandwidth";
  of.types = "f64, f32";
  of.least_n = 2;
  return of;
}

constexpr std::size_t longest_planned = std::size_t{1} << 20;

constexpr std::array benchmarks{
    beside_fftw({.name = "fft",
                 .group = "fft",
                 .summary = "Fourier transforms out of place; batches of them up to 2^16 numbers",
                 .n_means = "complex numbers of a transform",
                 .measure = measure_rows<numbers::complex>}),
    beside_fftw({.name = "rfft",
                 .group = "rfft",
                 .summary = "the same of real numbers",
                 .n_means = "real numbers of a transform",
                 .measure = measure_rows<numbers::real>}),
    beside_fftw({.name = "dct",
                 .group = "dct",
                 .summary = "cosine transforms of type 2 out of place, in batches as fft",
                 .n_means = "real numbers of a transform",
                 .measure = measure_cosines}),
    beside_fftw({.name = "fft2",
                 .group = "fft2",
                 .summary = "a Fourier transform of a square matrix of complex numbers",
                 .n_means = "rows",
                 .measure = measure_square}),
    beside_fftw({.name = "fftn",
                 .group = "fftn",
                 .summary = "a Fourier transform of a box of complex numbers (--shape)",
                 .n_means = "planes",
                 .measure = measure_box<numbers::complex>,
                 .shapes = box_shapes}),
    beside_fftw({.name = "rfftn",
                 .group = "rfftn",
                 .summary = "the same of real numbers",
                 .n_means = "planes",
                 .measure = measure_box<numbers::real>,
                 .shapes = box_shapes}),
    beside_fftw({.name = "fft-plan",
                 .group = "fft-plan",
                 .summary = "a short Fourier transform by one thread, planned before",
                 .n_means = "complex numbers",
                 .measure = measure_plan<numbers::complex>,
                 .most_n = longest_planned}),
    beside_fftw({.name = "rfft-plan",
                 .group = "fft-plan",
                 .summary = "the same of real numbers",
                 .n_means = "real numbers",
                 .measure = measure_plan<numbers::real>,
                 .most_n = longest_planned}),
};

}  // namespace

std::span<const benchmark> fft_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
