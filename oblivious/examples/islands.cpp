// SPDX-License-Identifier: Apache-2.0
// Counts the islands of a map: cells of land that touch each other are joined by edges, and an
// island is a connected component.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <pleat/oblivious/graph.hpp>
#include <pleat/runtime/machine.hpp>

int main() {
  constexpr std::uint32_t side = 300;
  const auto is_land = [](std::uint32_t i, std::uint32_t j) {  // squares of 7 cells, 3 cells apart
    return i % 10 < 7 && j % 10 < 7;
  };
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j) {
      if (!is_land(i, j)) continue;
      const std::uint32_t cell = i * side + j;
      if (i + 1 < side && is_land(i + 1, j)) edges.push_back({cell, cell + side});
      if (j + 1 < side && is_land(i, j + 1)) edges.push_back({cell, cell + 1});
    }

  pleat::machine machine;
  std::vector<std::uint32_t> island(std::size_t{side} * side);
  pleat::connected_components(machine, edges, island);
  std::size_t islands = 0;
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j)
      if (is_land(i, j) && island[i * side + j] == i * side + j) ++islands;
  std::cout << islands << " islands\n";
  return islands == 900 ? 0 : 1;
}
