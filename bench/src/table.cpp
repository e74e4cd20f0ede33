// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <cassert>

namespace pleat::bench {
namespace {

// Code points: every byte that does not continue a UTF-8 sequence.
std::size_t width(const std::string& cell) {
  return static_cast<std::size_t>(std::ranges::count_if(
      cell, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void table::add(std::vector<std::string> cells) {
  assert(rows_.empty() || cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string table::text(const std::string& emphasis, const std::string& plain) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (i == 0 ? row[i] + space : space + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += &row == &rows_.front() ? emphasis + line + plain : line;
    result += '\n';
  }
  return result;
}

}  // namespace pleat::bench
