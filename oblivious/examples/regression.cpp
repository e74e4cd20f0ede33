// SPDX-License-Identifier: Apache-2.0
// Fits a parabola to measurements by least squares: the normal equations are products of a matrix
// with its own transpose, which need not be written down.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

#include <pleat/oblivious/cholesky.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/matrix_op.hpp>
#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t samples = 5000, unknowns = 3;
  std::vector<double> a(samples * unknowns), b(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double x = double(i) / double(samples), noise = i % 2 == 0 ? 0.01 : -0.01;
    a[i * unknowns] = 1;
    a[i * unknowns + 1] = x;
    a[i * unknowns + 2] = x * x;
    b[i] = 2 - 3 * x + 5 * x * x + noise;
  }

  pleat::machine machine;
  const pleat::strided_view<const double> left(a.data(), samples, unknowns, unknowns);
  const pleat::strided_view<const double> right(b.data(), samples, 1, 1);
  std::vector<double> normal(unknowns * unknowns), side(unknowns);
  pleat::matmul<pleat::plus_times>(machine, left, left,
                                   pleat::strided_view(normal.data(), unknowns, unknowns, unknowns),
                                   {.op_a = pleat::matrix_op::transpose});
  pleat::matmul(machine, left, right, pleat::strided_view(side.data(), unknowns, 1, 1),
                {.op_a = pleat::matrix_op::transpose});

  // The equations are symmetric: a factor and its transpose solve them.
  const pleat::strided_view equations(normal.data(), unknowns, unknowns, unknowns);
  const pleat::strided_view solution(side.data(), unknowns, 1, 1);
  pleat::cholesky(machine, equations);
  pleat::solve_triangular(machine, equations, solution);
  pleat::solve_triangular(machine, equations, solution, {.op = pleat::matrix_op::transpose});
  std::cout << side[0] << " + " << side[1] << " x + " << side[2] << " x^2\n";
  return std::abs(side[0] - 2) < 0.01 && std::abs(side[1] + 3) < 0.01 &&
                 std::abs(side[2] - 5) < 0.01
             ? 0
             : 1;
}
