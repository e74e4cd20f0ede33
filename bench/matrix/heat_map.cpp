// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "matrix_report.hpp"
#include "tool/printable.hpp"

namespace pleat::bench {
namespace {

// Unit in which figures are shown.
struct shown_unit {
  const char* name;
  double factor;
};

shown_unit unit_of(const measured_matrix& matrix) {
  return matrix.unit == "s" ? shown_unit{"ns", 1e9} : shown_unit{"GB/s", 1e-9};
}

// Scale from the least to the most: classes of equal ratio.
class scale {
 public:
  scale(const measured_matrix& matrix, std::size_t classes) : classes_(classes) {
    for (const auto& cell : matrix.cells) {
      if (!cell) continue;
      least_ = std::min(least_, cell->median);
      most_ = std::max(most_, cell->median);
    }
  }

  [[nodiscard]] std::size_t class_of(double value) const {
    if (used() < 2) return 0;
    const double place = std::log(value / least_) / std::log(most_ / least_);
    const auto count = static_cast<double>(classes_);
    return static_cast<std::size_t>(std::clamp(std::floor(place * count), 0.0, count - 1));
  }

  /// The least value of a class.
  [[nodiscard]] double bound(std::size_t k) const {
    return least_ *
           std::pow(most_ / least_, static_cast<double>(k) / static_cast<double>(classes_));
  }
  /// Classes that values may be in.
  [[nodiscard]] std::size_t used() const {
    if (most_ == 0) return 0;
    return most_ > least_ && least_ > 0 ? classes_ : 1;
  }

 private:
  std::size_t classes_;
  double least_ = std::numeric_limits<double>::infinity(), most_ = 0;
};

// Six of the 256 colours of terminals, near to viridis: distinct in grey too.
std::string coloured(const std::string& text, std::size_t step) {
  constexpr std::array<int, 6> backgrounds{54, 61, 31, 36, 113, 227};
  const int letters = step < 3 ? 231 : 16;  // white on dark, black on bright
  return "\x1b[48;5;" + std::to_string(backgrounds[step]) + ";38;5;" + std::to_string(letters) +
         "m" + text + "\x1b[0m";
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const auto& text : texts) width = std::max(width, text.size());
  return width;
}

std::string right(const std::string& text, std::size_t characters, std::size_t width) {
  return std::string(width - std::min(width, characters), ' ') + text;
}
std::string right(const std::string& text, std::size_t width) {
  return right(text, text.size(), width);
}

// Columns [first, last) with their heads; a cell is what `figure` says, `width` characters wide.
std::string block(const measured_matrix& matrix, std::size_t first, std::size_t last,
                  std::size_t width, bool heads, bool colours,
                  const std::function<std::string(double)>& figure) {
  const scale steps(matrix, 6);
  const std::size_t label = widest(matrix.rows);
  std::string result;
  if (heads) {
    result += std::string(2 + label, ' ');
    for (std::size_t column = first; column < last; ++column)
      result += right(matrix.columns[column], width);
    result += '\n';
  } else {
    result += std::string(2 + label, ' ') + " " + matrix.columns[first] + " … " +
              matrix.columns[last - 1] + "\n";
  }
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    result += "  " + right(matrix.rows[row], label) + (heads ? "" : " ");
    for (std::size_t column = first; column < last; ++column) {
      const auto& cell = matrix.at(row, column);
      if (!cell) {
        result += right("·", 1, width);
        continue;
      }
      const auto text = right(figure(cell->median), width);
      result += colours ? coloured(text, steps.class_of(cell->median)) : text;
    }
    result += '\n';
  }
  return result;
}

std::string with_figures(const measured_matrix& matrix, std::size_t width, bool colours) {
  const auto unit = unit_of(matrix);
  return block(matrix, 0, matrix.columns.size(), width, true, colours,
               [&](double value) { return readable_number(value * unit.factor); });
}

std::string with_digits(const measured_matrix& matrix, std::size_t columns, bool colours) {
  const scale classes(matrix, 10);
  const auto unit = unit_of(matrix);
  const std::size_t label = 2 + widest(matrix.rows) + 1;
  const std::size_t fitting = columns > label ? columns - label : 1;
  std::string result;
  for (std::size_t first = 0; first < matrix.columns.size(); first += fitting)
    result += block(matrix, first, std::min(first + fitting, matrix.columns.size()), 1, false,
                    colours, [&](double value) { return std::to_string(classes.class_of(value)); });
  for (std::size_t k = 0; k < classes.used(); ++k)
    result += "  " + std::to_string(k) + ": " + readable_number(classes.bound(k) * unit.factor) +
              " " + unit.name + " and more\n";
  return result;
}

}  // namespace

std::string heat_map(const measured_matrix& matrix, const heat_map_look& look) {
  const auto unit = unit_of(matrix);
  std::size_t width = widest(matrix.columns);
  for (const auto& cell : matrix.cells)
    if (cell) width = std::max(width, readable_number(cell->median * unit.factor).size());
  ++width;  // what separates columns
  const std::string head = matrix.title + ", " + unit.name + "\n";
  const std::size_t whole = 2 + widest(matrix.rows) + width * matrix.columns.size();
  if (!look.columns || whole <= *look.columns)
    return head + with_figures(matrix, width, look.colours);
  return head + with_digits(matrix, *look.columns, look.colours);
}

}  // namespace pleat::bench
