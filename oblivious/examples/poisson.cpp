// SPDX-License-Identifier: Apache-2.0
//
// Poisson's equation -Δu = f on a square whose opposite sides are joined, by Fourier transforms: in
// their terms Δ is a number for each frequency, and to solve is to divide. The equation is real, so
// two right-hand sides go through one complex transform: a charge and its opposite, and two equal
// charges.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <ranges>
#include <vector>

#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

using number = std::complex<double>;
using field = pleat::strided_view<number>;

/// Solves in place: f becomes u, both with the mean 0.
void solve(pleat::machine& on, field f) {
  const std::size_t n = f.rows;
  std::vector<double> laplace(n);  // by which differences of neighbours multiply the frequencies
  for (std::size_t k = 0; k < n; ++k)
    laplace[k] =
        2.0 * static_cast<double>(n * n) *
        (1 - std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
  pleat::fft2(on, f);
  pleat::for_each_index(on, n, [&](std::size_t i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double by = laplace[i] + laplace[j];
      f(i, j) = by == 0 ? 0 : f(i, j) / by;
    }
  });
  pleat::fft2(on, f, {.direction = pleat::fft_direction::inverse});
}

/// Greatest |f + Δu|.
double residual(pleat::machine& on, field u, field f) {
  const std::size_t n = u.rows;
  const auto of_row = [&](std::size_t i) {
    double greatest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const number around =
          u((i + 1) % n, j) + u((i + n - 1) % n, j) + u(i, (j + 1) % n) + u(i, (j + n - 1) % n);
      const number laplace = static_cast<double>(n * n) * (around - 4.0 * u(i, j));
      greatest = std::max(greatest, std::abs(f(i, j) + laplace));
    }
    return greatest;
  };
  return pleat::transform_reduce(on, std::views::iota(std::size_t{0}, n), 0.0, pleat::maximum(),
                                 of_row);
}

}  // namespace

int main() {
  constexpr std::size_t n = 256;
  constexpr double strength = static_cast<double>(n * n);
  std::vector<number> charges(n * n, number(0, -2));  // equal charges need a neutral background
  charges[n / 2 * n + n / 4] += number(strength, strength);
  charges[n / 2 * n + 3 * n / 4] += number(-strength, strength);
  std::vector<number> potentials = charges;

  pleat::machine machine;
  const field u(potentials.data(), n, n, n), f(charges.data(), n, n, n);
  solve(machine, u);
  for (std::size_t j = 0; j < n; j += n / 8)
    std::printf("x = %.3f: opposite %7.4f, equal %7.4f\n",
                static_cast<double>(j) / static_cast<double>(n), u(n / 2, j).real(),
                u(n / 2, j).imag());
  return residual(machine, u, f) / strength < 1e-9 ? 0 : 1;
}
