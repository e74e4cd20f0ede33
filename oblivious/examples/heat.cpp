// SPDX-License-Identifier: Apache-2.0
//
// A plate with two hot spots that never cool, cold edges, and what heat makes of it: a picture,
// heat.ppm, unless another name is given.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <vector>

#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

int main(int argc, char** argv) {
  constexpr std::size_t rows = 240, columns = 320, steps = 4000;
  std::vector<double> cells(rows * columns, 0.0);
  const pleat::grid_view<double, 2> plate(cells.data(), {rows, columns});
  const auto heat_up = [&plate] {
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 20; ++j) plate(60 + i, 80 + j) = plate(150 + i, 220 + j) = 1.0;
  };
  heat_up();

  pleat::machine machine;  // every core this process may use
  pleat::stencil(
      machine, plate, steps,
      [](const auto& u) {
        return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
      },
      {.edges = pleat::boundary::fixed, .every = 10, .after = [&](std::size_t) { heat_up(); }});

  const char* const name = argc > 1 ? argv[1] : "heat.ppm";
  std::ofstream picture(name, std::ios::binary);
  picture << "P6\n" << columns << ' ' << rows << "\n255\n";
  for (const double heat : cells) {
    const auto part = [heat](double from, double to) {
      return static_cast<char>(255 * std::clamp((heat - from) / (to - from), 0.0, 1.0));
    };
    picture << part(0, 0.4) << part(0.2, 0.8) << part(0.6, 1);  // black, red, yellow, white
  }
  picture.close();
  std::cout << name << ": " << (picture ? "written" : "cannot be written") << '\n';
  const bool spread = plate(60, 120) > 0.01 && plate(60, 120) < plate(60, 105);
  return picture && spread && plate(0, 0) == 0 && plate(65, 85) == 1.0 ? 0 : 1;
}
