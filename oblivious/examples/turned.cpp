// SPDX-License-Identifier: Apache-2.0
// Turns a photograph by a quarter to the right: its last row becomes the first column.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <pleat/oblivious/transpose.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/view.hpp>

int main() {
  struct pixel {
    std::uint8_t red, green, blue, opacity;
    bool operator==(const pixel&) const = default;
  };
  constexpr std::size_t rows = 480, columns = 640;
  std::vector<pixel> photograph(rows * columns), turned(photograph.size());
  for (std::size_t i = 0; i < photograph.size(); ++i)
    photograph[i] = {std::uint8_t(i / columns), std::uint8_t(i % columns), 0, 255};

  pleat::machine machine;
  pleat::transpose(machine, pleat::strided_view(photograph.data(), rows, columns, columns),
                   pleat::strided_view(turned.data(), columns, rows, rows));
  for (std::size_t row = 0; row < columns; ++row) {
    const auto first = turned.begin() + static_cast<std::ptrdiff_t>(row * rows);
    std::reverse(first, first + rows);
  }
  const bool right = turned[0] == photograph[(rows - 1) * columns] &&
                     turned[rows - 1] == photograph[0] &&
                     turned[turned.size() - rows] == photograph.back();
  std::cout << "corners are " << (right ? "where they belong" : "wrong") << '\n';
  return right ? 0 : 1;
}
