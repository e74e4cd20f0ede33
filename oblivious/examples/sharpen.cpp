// SPDX-License-Identifier: Apache-2.0
// Takes a blur out of an image: the transform of a blurred image is that of the sharp one times
// that of the blur, and can be divided by it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>
#include <vector>

#include <pleat/oblivious/fft2.hpp>
#include <pleat/oblivious/fft_options.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

namespace {

constexpr std::size_t rows = 96, columns = 128;
using number = std::complex<double>;
using image = std::vector<number>;

pleat::strided_view<number> view(image& of) { return {of.data(), rows, columns, columns}; }

}  // namespace

int main() {
  pleat::machine machine;
  image sharp(rows * columns), blur(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) sharp[i * columns + j] = double((i / 8 + j / 8) % 2);
  // A pixel keeps most of its light and gives some to its right neighbour and to the one below.
  blur[0] = 0.6;
  blur[1] = 0.2;
  blur[columns] = 0.2;

  image blurred = sharp;
  pleat::fft2(machine, view(blurred));
  pleat::fft2(machine, view(blur));
  for (std::size_t k = 0; k < blurred.size(); ++k) blurred[k] *= blur[k];
  const pleat::fft2_options back{.direction = pleat::fft_direction::inverse};
  pleat::fft2(machine, view(blurred), back);
  std::cout << "blurred: " << std::abs(blurred[8] - sharp[8]) << " off at an edge\n";

  image restored = blurred;
  pleat::fft2(machine, view(restored));
  for (std::size_t k = 0; k < restored.size(); ++k) restored[k] /= blur[k];
  pleat::fft2(machine, view(restored), back);
  double off = 0;
  for (std::size_t k = 0; k < restored.size(); ++k)
    off = std::max(off, std::abs(restored[k] - sharp[k]));
  std::cout << "restored: at most " << off << " off\n";
  return std::abs(blurred[8] - sharp[8]) > 0.1 && off < 1e-9 ? 0 : 1;
}
