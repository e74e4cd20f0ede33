// SPDX-License-Identifier: Apache-2.0
//
// The electric potential of a charge and its opposite on a square plate, and, in the same
// transforms, that of two equal charges. Prints the potentials along a line through them.
//
//     poisson [points of a side]
#include "poisson.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <pleat/oblivious/reduce.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

using number = std::complex<double>;

/// Distance of u from a solution: the greatest |f + Δu|.
double residual(pleat::machine& on, gallery::field u, gallery::field f) {
  const std::size_t n = u.rows;
  const double scale = static_cast<double>(n) * static_cast<double>(n);
  const auto of_row = [&](std::size_t i) {
    double greatest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const number around =
          u((i + 1) % n, j) + u((i + n - 1) % n, j) + u(i, (j + 1) % n) + u(i, (j + n - 1) % n);
      greatest = std::max(greatest, std::abs(f(i, j) + scale * (around - 4.0 * u(i, j))));
    }
    return greatest;
  };
  const auto rows = std::views::iota(std::size_t{0}, n);
  return pleat::transform_reduce(on, rows, 0.0, pleat::maximum(), of_row);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::size_t n = argc > 1 ? std::stoul(argv[1]) : 512;
    if (n < 8 || n > 16384) throw std::runtime_error("a side has 8 to 16384 points");
    std::vector<number> charges(n * n), potentials;
    const double strength = static_cast<double>(n) * static_cast<double>(n);  // of one point
    charges[n / 2 * n + n / 4] = {strength, strength};
    charges[n / 2 * n + 3 * n / 4] = {-strength, strength};
    const double mean = 2;  // of the equal charges; a torus has none but neutral ones
    for (number& one : charges) one -= number(0, mean);
    potentials = charges;

    pleat::machine machine;
    const gallery::field u(potentials.data(), n, n, n), f(charges.data(), n, n, n);
    gallery::solve_poisson(machine, u);
    for (std::size_t j = 0; j < n; j += n / 8)
      std::printf("x = %.3f: opposite %7.4f, equal %7.4f\n",
                  static_cast<double>(j) / static_cast<double>(n), u(n / 2, j).real(),
                  u(n / 2, j).imag());
    const double left = residual(machine, u, f) / strength;
    std::printf("residual %.1e\n", left);
    return left < 1e-9 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "poisson: %s\n", failure.what());
    return 1;
  }
}
