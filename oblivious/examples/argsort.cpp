// SPDX-License-Identifier: Apache-2.0
//
// A table by columns: orders its rows by one column without moving them, and sorts two columns
// together.
#include <algorithm>
#include <array>
#include <iostream>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

int main() {
  const std::array<const char*, 6> names{"Weser", "Elbe", "Rhine", "Danube", "Oder", "Ems"};
  std::vector<std::string> rivers(names.begin(), names.end());
  std::vector<double> kilometres{744, 1094, 1233, 2857, 866, 371};

  // The rows in the order of the names; the table stays as it is.
  const std::vector<std::size_t> rows = pleat::argsort(rivers);
  for (const std::size_t row : rows) std::cout << rivers[row] << ": " << kilometres[row] << " km\n";

  // The longest first, and the names with them.
  pleat::sort_by_key(kilometres, rivers, std::greater<>());
  std::cout << "the longest is the " << rivers.front() << ", the shortest the " << rivers.back()
            << '\n';

  const bool right = rows == std::vector<std::size_t>{3, 1, 5, 4, 2, 0} &&
                     rivers.front() == "Danube" && rivers.back() == "Ems" &&
                     std::ranges::is_sorted(kilometres, std::greater<>());
  return right ? 0 : 1;
}
