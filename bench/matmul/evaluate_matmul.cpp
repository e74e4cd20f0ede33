// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <pleat/oblivious/matmul.hpp>

#include "evaluate/evaluation_input.hpp"

namespace pleat::bench {
namespace {

// Multiplies √n × √n matrices; each virtual processor holds one element of each matrix.
cost_trace run_matmul(const evaluation_request& request, matmul_recursion recursion) {
  machine on(traced(request));
  const values a = random_values(request);
  const values b(a.rbegin(), a.rend());
  values c(request.n);
  const std::size_t side = std::size_t{1} << std::countr_zero(request.n) / 2;
  const auto matrix = [side](auto& elements) {
    return strided_view(elements.data(), side, side, side);
  };
  run_report report = pleat::matmul(on, matrix(a), matrix(b), matrix(c),
                                    {.recursion = recursion, .vps = request.n});
  bool right = true;
  for (std::size_t i = 0; i < side; ++i) {
    values row(side);
    for (std::size_t k = 0; k < side; ++k)
      for (std::size_t j = 0; j < side; ++j) row[j] += a[i * side + k] * b[k * side + j];
    right = right && std::equal(row.begin(), row.end(), &c[i * side]);
  }
  verify(right, recursion == matmul_recursion::eight_way ? "matmul" : "matmul4");
  return *std::move(report.costs);
}
cost_trace run_matmul8(const evaluation_request& request) {
  return run_matmul(request, matmul_recursion::eight_way);
}
cost_trace run_matmul4(const evaluation_request& request) {
  return run_matmul(request, matmul_recursion::four_way);
}

constexpr std::array programs{
    evaluated_program{"matmul", "√n × √n matrices, eight-way recursion", power_of_four, run_matmul8,
                      "n/p^(2/3) + σ", matmul_lower_bound},
    evaluated_program{"matmul4", "√n × √n matrices, four-way recursion in constant memory",
                      power_of_four, run_matmul4, "n/√p + σ", matmul_in_place_lower_bound},
};

}  // namespace

std::span<const evaluated_program> matmul_evaluations() { return programs; }

}  // namespace pleat::bench
