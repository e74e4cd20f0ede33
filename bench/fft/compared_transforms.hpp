// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <string>

#include <pleat/runtime/error.hpp>

#include "bounds/bounds.hpp"
#include "fft_data.hpp"
#include "measure/benchmark.hpp"
#include "measure/clock.hpp"
#include "pleat_rivals_linked.hpp"
#if PLEAT_WITH_FFTW
#include "rivals/fftw_transform.hpp"
#endif

// A transform of ours beside FFTW's of the same numbers.
namespace pleat::bench {

inline std::string measure_of(const fft_shape& shape) {
  if (shape.planes != 1)
    return "one transform of n x n x " +
           (shape.columns == shape.planes ? std::string("n") : std::to_string(shape.columns)) +
           " numbers";
  if (shape.rows != 1) return "one transform of an n x n matrix";
  return shape.batch == 1 ? "one transform" : std::to_string(shape.batch) + " transforms";
}

template <class Number> constexpr const char* name_of() {
  if (std::floating_point<Number>) return sizeof(Number) == 4 ? "f32" : "f64";
  return sizeof(Number) == 8 ? "c64" : "c128";
}

/// Operations as transforms are commonly compared by, 5·n·log2(n), half of them for real numbers;
/// nobody does exactly as many.
template <class Number> double operations(const fft_shape& shape) {
  const auto n = static_cast<double>(shape.numbers());
  return (std::floating_point<Number> ? 2.5 : 5) * n * std::log2(n) *
         static_cast<double>(shape.batch);
}

/// transform(machine, data) is ours; on one processor, `calls` of them in a sample, if more than 1.
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
                      .type = name_of<Number>(),
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
  // A fused step is two operations. What is read and written at least are the numbers once.
  add_registers<plus_times, fft_part<Number>>(compared, options, operations<Number>(shape) / 2);
  const auto read = std::as_bytes(data.from);
  const auto written = std::as_writable_bytes(data.to);
  add_bandwidth(compared, options, read, {}, written.first(std::min(read.size(), written.size())));
  run(compared);
}

}  // namespace pleat::bench
