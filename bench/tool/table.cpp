// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "printable.hpp"
#include "terminal.hpp"

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
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> table::widths() const {
  std::vector<std::size_t> widest(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widest[i] = std::max(widest[i], width(row[i]));
  }
  return widest;
}

std::string table::text_of(const std::vector<std::size_t>& shown, const std::string& emphasis,
                           const std::string& plain) const {
  const auto widest = widths();
  std::string result;
  for (const auto& row : rows_) {
    std::string line = "  ";
    for (const std::size_t i : shown) {
      const std::string space(widest[i] - width(row[i]), ' ');
      line +=
          (i != shown.front() ? "  " : "") + (i == shown.front() ? row[i] + space : space + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += &row == &rows_.front() ? emphasis + line + plain : line;
    result += '\n';
  }
  return result;
}

std::string table::text(const std::string& emphasis, const std::string& plain,
                        std::optional<std::size_t> columns) const {
  constexpr std::size_t gap = 2;
  const auto widest = widths();
  std::vector<std::size_t> shown(widest.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  const auto fits = [&](const std::vector<std::size_t>& some) {
    std::size_t sum = 0;
    for (const std::size_t i : some) sum += gap + widest[i];
    return !columns || sum <= *columns;
  };
  if (fits(shown)) return text_of(shown, emphasis, plain);

  std::string result;
  const auto same = [&](std::size_t i) {
    return rows_.size() > 2 && std::ranges::all_of(rows_.begin() + 1, rows_.end(), [&](auto& row) {
             return row[i] == rows_[1][i];
           });
  };
  for (std::size_t i = 0; i < widest.size() && shown.size() > 1 && !fits(shown); ++i) {
    if (!same(i)) continue;
    std::erase(shown, i);
    const auto said = rows_.front()[i] + (rows_[1][i].empty() ? "" : " ") + rows_[1][i];
    if (!rows_[1][i].empty())
      result += "  " + cut_to(said, *columns - std::min(*columns, gap)) + "\n";
  }
  for (std::size_t next = 1; next <= shown.size();) {
    std::vector<std::size_t> part{shown.front()};
    if (next < shown.size()) part.push_back(shown[next++]);  // at least one more, however wide
    while (next < shown.size()) {
      part.push_back(shown[next]);
      if (!fits(part)) {
        part.pop_back();
        break;
      }
      ++next;
    }
    result += text_of(part, emphasis, plain);
    if (next >= shown.size()) break;
    result += '\n';
  }
  return result;
}

}  // namespace pleat::bench
