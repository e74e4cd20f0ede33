// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>

#include <pleat/oblivious/matmul.hpp>

#include "matmul_data.hpp"
#include "measure/number_types.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

template <class T> class prepared_matmul final : public prepared_program {
 public:
  prepared_matmul(machine& on, const sweep_case& at)
      : prepared_program(sizeof(T)), on_(on), data_(on, square(at.n), 1) {}

  double sample() override {
    return data_.sample([&](auto a, auto b, auto c) { vps_ = matmul(on_, a, b, c).vps; });
  }
  void verify() override { data_.verify("pleat::matmul"); }
  run_report run_on(machine& other) override {
    if (vps_ == 0) sample();
    run_report report;
    static_cast<void>(data_.sample(
        [&](auto a, auto b, auto c) { report = matmul(other, a, b, c, {.vps = vps_}); }));
    return report;
  }
  [[nodiscard]] measured_arrays arrays() const override { return data_.arrays(); }

 private:
  machine& on_;
  matmul_data<plus_times, T> data_;
  std::size_t vps_ = 0;  // of the last product
};

std::unique_ptr<prepared_program> prepare(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_type<double, float, std::int32_t, std::int64_t>(
      at.type, [&]<class T>() { result = std::make_unique<prepared_matmul<T>>(on, at); });
  return result;
}

constexpr std::array programs{sweep_program{
    .name = "matmul",
    .types = "f64, f32, i32, i64",
    .types_over_ranks = "f64",
    .n = "256,1024,2048",
    .operation = "a product of two n x n matrices",
    .step = "multiplications",
    .steps = [](std::size_t n) { return std::pow(static_cast<double>(n), 3); },
    .prepare = prepare,
    .dimensions = 2,
}};

}  // namespace

std::span<const sweep_program> matmul_sweeps() { return programs; }

}  // namespace pleat::bench
