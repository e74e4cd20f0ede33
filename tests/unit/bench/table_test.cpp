// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tool/terminal.hpp"

namespace table_test {

using pleat::bench::cut_to;
using pleat::bench::table;

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, characters(line));
  return widest;
}

TEST(tables, fit_their_terminal_and_lose_no_cell) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t columns = 1 + random() % 12;
    const std::size_t rows = 1 + random() % 5;
    int number = 0;
    const auto cell = [&](bool same, std::size_t column) {
      return same ? "s" + std::to_string(column) : "µ" + std::to_string(++number) + "x";
    };
    std::vector<bool> same(columns);
    for (std::size_t i = 0; i < columns; ++i) same[i] = random() % 3 == 0;
    std::vector<std::string> cells;
    std::vector<std::string> all;
    const auto next = [&](bool header) {
      cells.clear();
      for (std::size_t i = 0; i < columns; ++i) cells.push_back(cell(same[i] && !header, i));
      all.insert(all.end(), cells.begin(), cells.end());
    };
    next(true);
    table shown(cells);
    for (std::size_t row = 0; row < rows; ++row) {
      next(false);
      shown.add(cells);
    }
    for (const std::size_t width : {20U, 40U, 80U}) {
      const auto text = shown.text({}, {}, width);
      EXPECT_LE(widest_line(text), width) << text;
      for (const auto& one : all) EXPECT_NE(text.find(one), std::string::npos) << one << text;
    }
    EXPECT_EQ(widest_line(shown.text()), widest_line(shown.text({}, {}, 1000)));
  }
}

TEST(lines, are_cut_to_any_width_between_characters) {
  const std::string text = "sweeping: µs ± 1 %";
  for (std::size_t width = 0; width < 30; ++width) {
    const auto cut = cut_to(text, width);
    EXPECT_EQ(characters(cut), std::min(width, characters(text)));
    EXPECT_EQ(cut == text, width >= characters(text));
  }
}

}  // namespace table_test
