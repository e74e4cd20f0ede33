// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include <pleat/oblivious/matmul.hpp>

#include "matmul_data.hpp"
#include "measure/number_types.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

template <class T> prepared_program prepared(machine& on, const sweep_case& at) {
  const auto data = std::make_shared<matmul_data<plus_times, T>>(on, square(at.n), 1);
  const auto vps = std::make_shared<std::size_t>(0);  // of the last product
  const auto sample = [&on, data, vps] {
    return data->sample([&](auto a, auto b, auto c) { *vps = matmul(on, a, b, c).vps; });
  };
  return {sizeof(T), sample, [data] { data->verify("pleat::matmul"); },
          [data, vps, sample](machine& other) {
            if (*vps == 0) sample();
            run_report report;
            static_cast<void>(data->sample(
                [&](auto a, auto b, auto c) { report = matmul(other, a, b, c, {.vps = *vps}); }));
            return report;
          },
          data->arrays()};
}

prepared_program prepare(machine& on, const sweep_case& at) {
  prepared_program result;
  with_type<double, float, std::int32_t, std::int64_t>(
      at.type, [&]<class T>() { result = prepared<T>(on, at); });
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
