// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <complex>

#include <pleat/oblivious/fft.hpp>

#include "fft_data.hpp"
#include "measure/clock.hpp"
#include "measure/number_types.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

template <class T> class prepared_fft final : public prepared_program {
 public:
  prepared_fft(machine& on, const sweep_case& at)
      : prepared_program(sizeof(std::complex<T>)),
        on_(on),
        data_(on, {.columns = at.n, .batch = at.batch}, 1) {}

  double sample() override {
    const auto start = benchmark_clock::now();
    static_cast<void>(fft(on_, data_.from, data_.to, {.batch = data_.shape().batch}));
    return seconds_since(start);
  }
  void verify() override { data_.verify("pleat::fft"); }
  run_report run_on(machine& other) override {
    const std::size_t vps =
        detail::fourier::fft_vps(on_, "fft", data_.from.size_bytes(), std::nullopt);
    return fft(other, data_.from, data_.to, {.batch = data_.shape().batch, .vps = vps});
  }
  [[nodiscard]] measured_arrays arrays() const override { return data_.arrays(); }

 private:
  machine& on_;
  fft_data<std::complex<T>> data_;
};

std::unique_ptr<prepared_program> prepare(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_type<double, float>(at.type,
                           [&]<class T>() { result = std::make_unique<prepared_fft<T>>(on, at); });
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
