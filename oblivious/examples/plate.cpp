// SPDX-License-Identifier: Apache-2.0
//
// A plate too large for one machine, heated at one edge: each rank of the machine holds some of its
// rows. Here all of them are on this one; over several, made as in observations_mpi.cpp, the
// temperatures are the same to the last bit.
#include <cstddef>
#include <iostream>
#include <vector>

#include <pleat/oblivious/distributed_grid.hpp>
#include <pleat/oblivious/grid_view.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::size_t rows = 300, columns = 200, steps = 500;
  const auto at_first = [](std::size_t x, std::size_t) { return x == 0 ? 100.0 : 20.0; };
  const auto mixed = [](const auto& u) {
    return 0.5 * u(0, 0) + 0.125 * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1));
  };

  pleat::machine machine;
  pleat::distributed_grid<double, 2> plate(machine, {rows, columns});
  plate.fill(machine, at_first);
  pleat::stencil(machine, plate, steps, mixed);

  std::vector<double> cells(rows * columns);
  for (std::size_t x = 0; x < rows; ++x) {
    for (std::size_t y = 0; y < columns; ++y) cells[x * columns + y] = at_first(x, y);
  }
  pleat::stencil(machine, pleat::grid_view<double, 2>{cells.data(), {rows, columns}}, steps, mixed);

  const pleat::grid_view<double, 2> slab = plate.local();  // the rows of this rank
  std::cout << "rank " << plate.rank() << " holds rows " << plate.rows().first << " to "
            << plate.rows().last - 1 << "; at the edge of the first it is " << slab(0, 0) << '\n';
  return plate.gather(machine) == cells ? 0 : 1;
}
