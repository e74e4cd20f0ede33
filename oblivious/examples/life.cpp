// SPDX-License-Identifier: Apache-2.0
// Conway's game on a torus: a glider comes back to where it was. A grid view shows a part of it.
#include <cstdint>
#include <iostream>
#include <vector>

#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/stencil_options.hpp>

int main() {
  constexpr std::size_t side = 32;
  std::vector<std::uint8_t> cells(side * side, 0);
  const pleat::grid_view<std::uint8_t, 2> world(cells.data(), {side, side});
  world(0, 1) = world(1, 2) = world(2, 0) = world(2, 1) = world(2, 2) = 1;
  const std::vector<std::uint8_t> start = cells;

  pleat::machine machine;
  pleat::stencil_options torus;
  torus.edges = pleat::boundary::periodic;
  torus.every = 32;  // generations
  torus.after = [&](std::size_t generation) {
    std::size_t alive = 0;
    for (const std::uint8_t cell : cells) alive += cell;
    std::cout << "generation " << generation << ": " << alive << " alive\n";
  };
  pleat::stencil(
      machine, world, 4 * side,
      [](const auto& u) {
        const int around =
            u(-1, -1) + u(-1, 0) + u(-1, 1) + u(0, -1) + u(0, 1) + u(1, -1) + u(1, 0) + u(1, 1);
        return static_cast<std::uint8_t>(around == 3 || (around == 2 && u(0, 0) == 1));
      },
      torus);

  const pleat::grid_view<std::uint8_t, 2> corner(cells.data(), {3, 3}, {side, 1});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) std::cout << (corner(i, j) == 1 ? '#' : '.');
    std::cout << '\n';
  }
  return cells == start ? 0 : 1;
}
