// SPDX-License-Identifier: Apache-2.0
#include "matrix/heat_map.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heat_map_test {

using pleat::bench::heat_map;
using pleat::bench::matrix_cell;
using pleat::bench::measured_matrix;

measured_matrix latencies(std::size_t processors) {
  measured_matrix matrix{"line_latency", "Latency", "s", true, {}, {}, {}};
  for (std::size_t k = 0; k < processors; ++k) matrix.rows.push_back(std::to_string(k));
  matrix.columns = matrix.rows;
  for (std::size_t row = 0; row < processors; ++row) {
    for (std::size_t column = 0; column < processors; ++column) {
      const double ns = row / 2 == column / 2 ? 10 : 1000;
      matrix.cells.push_back(row == column ? std::optional<matrix_cell>()
                                           : matrix_cell{ns * 1e-9, {}, 1});
    }
  }
  return matrix;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(heat_map, shows_every_figure_in_one_unit) {
  const auto lines = lines_of(heat_map(latencies(4)));
  EXPECT_EQ(lines,
            (std::vector<std::string>{"Latency, ns", "       0    1    2    3",
                                      "  0    · 10.0 1000 1000", "  1 10.0    · 1000 1000",
                                      "  2 1000 1000    · 10.0", "  3 1000 1000 10.0    ·"}));
}

TEST(heat_map, shows_bandwidth_in_gigabytes_a_second) {
  const measured_matrix one{
      "read_bandwidth", "Bandwidth", "B/s", false, {"0"}, {"1"}, {matrix_cell{2.5e10, {}, 1}}};
  EXPECT_EQ(heat_map(one), "Bandwidth, GB/s\n       1\n  0 25.0\n");
}

TEST(heat_map, is_coloured_only_if_asked_and_then_says_the_same) {
  const auto plain = heat_map(latencies(4));
  auto coloured = heat_map(latencies(4), {.colours = true, .columns = {}});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[48;5;54;"), std::string::npos);   // the least
  EXPECT_NE(coloured.find("\x1b[48;5;227;"), std::string::npos);  // the most
  for (std::size_t at = 0; (at = coloured.find('\x1b')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  EXPECT_EQ(coloured, plain);
}

TEST(heat_map, too_wide_for_the_terminal_has_a_digit_for_each_cell) {
  const auto lines = lines_of(heat_map(latencies(16), {.colours = false, .columns = 40}));
  ASSERT_EQ(lines.size(), 1 + 1 + 16 + 10u);
  EXPECT_EQ(lines[2], "   0 ·099999999999999");
  for (std::size_t k = 0; k < 10; ++k)
    EXPECT_EQ(lines[18 + k].substr(0, 5), "  " + std::to_string(k) + ": ");
  EXPECT_EQ(lines[18], "  0: 10.0 ns and more");
}

TEST(heat_map, too_wide_even_for_digits_stands_in_blocks_that_fit) {
  constexpr std::size_t columns = 25;
  const auto lines = lines_of(heat_map(latencies(64), {.colours = false, .columns = columns}));
  const auto rows =
      std::ranges::count_if(lines, [](const auto& line) { return line.starts_with("   0 "); });
  EXPECT_EQ(rows, 4);  // 20 columns of digits in each
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const auto characters =
        std::ranges::count_if(lines[k], [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(characters, static_cast<std::ptrdiff_t>(columns)) << lines[k];
  }
}

TEST(heat_map, of_nothing_measured_has_its_rows) {
  auto matrix = latencies(2);
  for (auto& cell : matrix.cells) cell.reset();
  EXPECT_EQ(heat_map(matrix), "Latency, ns\n    0 1\n  0 · ·\n  1 · ·\n");
  EXPECT_EQ(lines_of(heat_map(matrix, {.colours = true, .columns = 3})).size(), 1 + 2 * 3u);
}

}  // namespace heat_map_test
