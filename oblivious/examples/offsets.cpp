// SPDX-License-Identifier: Apache-2.0
//
// Lines of a text of which only the lengths are known: where each begins, and where it ends.
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include <pleat/oblivious/scan.hpp>

int main() {
  const std::vector<std::string> lines{"scans", "turn", "lengths", "", "into", "places"};
  std::vector<std::size_t> begins(lines.size()), ends(lines.size());
  pleat::exclusive_scan(lines, begins, std::size_t{0}, {}, &std::string::size);
  pleat::inclusive_scan(lines, ends, {}, &std::string::size);
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::cout << begins[i] << " to " << ends[i] << ": " << lines[i] << '\n';
  return begins == std::vector<std::size_t>{0, 5, 9, 16, 16, 20} && ends.back() == 26 ? 0 : 1;
}
