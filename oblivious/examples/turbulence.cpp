// SPDX-License-Identifier: Apache-2.0
// Separates the large eddies of a velocity field from the small ones: the field in a box that goes
// on periodically is a sum of waves, and those of long wavelength are the large eddies. A wall on
// either side, through which nothing flows, makes it a sum of cosines.
#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <vector>

#include <pleat/oblivious/array_view.hpp>
#include <pleat/oblivious/dct.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/oblivious/fftn.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

constexpr std::size_t nx = 24, ny = 32, nz = 40;

double wave(std::size_t i, std::size_t n, double count) {
  return std::cos(2 * std::numbers::pi * count * static_cast<double>(i) / static_cast<double>(n));
}

}  // namespace

int main() {
  pleat::machine machine;
  std::vector<double> velocity(nx * ny * nz), large(velocity.size());
  const pleat::array_view field(velocity.data(), {nx, ny, nz}), eddies(large.data(), {nx, ny, nz});
  for (std::size_t i = 0; i < nx; ++i)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t k = 0; k < nz; ++k)
        field(i, j, k) = wave(i, nx, 1) * wave(j, ny, 2) + 0.25 * wave(j, ny, 9) * wave(k, nz, 11);

  std::vector<std::complex<double>> numbers(nx * ny * (nz / 2 + 1));
  const pleat::array_view spectrum(numbers.data(), {nx, ny, nz / 2 + 1});
  pleat::rfftn(machine, field, spectrum);
  const auto distance = [](std::size_t k, std::size_t n) { return std::min(k, n - k); };
  for (std::size_t i = 0; i < nx; ++i)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t k = 0; k <= nz / 2; ++k)
        if (std::max({distance(i, nx), distance(j, ny), k}) > 4) spectrum(i, j, k) = 0;
  pleat::irfftn(machine, spectrum, eddies);
  double off = 0;
  for (std::size_t i = 0; i < nx; ++i)
    for (std::size_t j = 0; j < ny; ++j)
      off = std::max(off, std::abs(eddies(i, j, 3) - wave(i, nx, 1) * wave(j, ny, 2)));
  std::cout << "large eddies: at most " << off << " off\n";

  // Between walls in z: cosines there, waves elsewhere. Of a field that does not change in z only
  // the first one is not 0.
  pleat::dct(machine, eddies, eddies, {.norm = pleat::fft_norm::orthogonal, .axes = {{2}}});
  double rest = 0;
  for (std::size_t k = 1; k < nz; ++k) rest = std::max(rest, std::abs(eddies(1, 1, k)));
  std::cout << "other cosines in z: at most " << rest << '\n';
  return off < 1e-12 && rest < 1e-12 ? 0 : 1;
}
