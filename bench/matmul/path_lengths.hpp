// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tool/npy.hpp"

namespace pleat::bench {

/// The numbers of a matrix that lie in some rows, from `first_row` on, and columns, row by row.
struct matrix_part {
  std::span<std::byte> numbers;
  std::size_t first_row, first_column, columns;

  [[nodiscard]] static matrix_part all_of(const npy_array& matrix) {
    return {matrix.bytes(), 0, 0, matrix.shape[1]};
  }
};

/// Integers that say "no path" in a file over min_plus and max_plus.
///
/// The products have no infinite integer: half the greatest number of the type (over max_plus its
/// negative) stands for it, and sums beyond a quarter count as it. So a file holds lengths from
/// minus an eighth to a quarter of the greatest number (max_plus: the reverse) and one number that
/// stands for "no path", which the user may choose. Floating point has infinities of its own.
class path_lengths {
 public:
  /// Chooses the integer for matrices of such numbers. `infinity`: what stands for "no path" in the
  /// inputs and in the result, an integer or `max` or `min`; half the greatest number unless given.
  /// Throws: pleat::usage_error if it is given where there is nothing to choose, or no number of
  /// the type.
  path_lengths(std::string semiring, const npy_contents& matrix,
               std::optional<std::string> infinity);

  /// Makes a file's numbers those of the product, in place. Returns how long the longest length is,
  /// whatever its sign. Cost: one pass, for integers only.
  /// Throws: pleat::error naming the file, the first number out of range and what to do.
  [[nodiscard]] unsigned long long read(const matrix_part& lengths, const std::string& name) const;

  /// Makes the product's numbers those of a file, in place. Returns how many say "no path".
  /// Throws: pleat::error if a length is the very number that stands for "no path".
  [[nodiscard]] std::size_t write(const matrix_part& lengths) const;

  /// Returns a warning if some of those `without_path` in the result `name` may be lengths that the
  /// type cannot hold; else nothing. `longest`: the sum of the longest of either input.
  [[nodiscard]] std::string doubt(const std::string& name, std::size_t without_path,
                                  unsigned long long longest) const;

 private:
  std::string semiring_;
  std::string descr_;
  number_type type_;
  std::optional<std::string> infinity_;
};

}  // namespace pleat::bench
