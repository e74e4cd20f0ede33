// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <complex>
#include <memory>

#include <pleat/oblivious/fft.hpp>

#include "fft_data.hpp"
#include "measure/clock.hpp"
#include "measure/number_types.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

template <class T> prepared_program prepared(machine& on, const sweep_case& at) {
  const auto data = std::make_shared<fft_data<std::complex<T>>>(
      on, fft_shape{.columns = at.n, .batch = at.batch}, 1);
  return {sizeof(std::complex<T>),
          [&on, data, batch = at.batch] {
            const auto start = benchmark_clock::now();
            static_cast<void>(fft(on, data->from, data->to, {.batch = batch}));
            return seconds_since(start);
          },
          [data] { data->verify("pleat::fft"); },
          [&on, data, batch = at.batch](machine& other) {
            const std::size_t vps =
                detail::fourier::fft_vps(on, "fft", data->from.size_bytes(), std::nullopt);
            return fft(other, data->from, data->to, {.batch = batch, .vps = vps});
          },
          data->arrays()};
}

prepared_program prepare(machine& on, const sweep_case& at) {
  prepared_program result;
  with_type<double, float>(at.type, [&]<class T>() { result = prepared<T>(on, at); });
  return result;
}

double steps(std::size_t n) {
  const auto points = static_cast<double>(n);
  return 5 * points * std::log2(points);
}

constexpr std::array programs{sweep_program{
    .name = "fft",
    .types = "f64, f32",
    .types_over_ranks = "f64, f32",
    .n = "2^10,2^16,2^20,2^22",
    .operation = "a transform of n complex numbers",
    .step = "operations, 5 n log2(n) of a transform",
    .steps = steps,
    .prepare = prepare,
    .batch = fft_batch,
}};

}  // namespace

std::span<const sweep_program> fft_sweeps() { return programs; }

}  // namespace pleat::bench
