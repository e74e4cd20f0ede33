// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "typed_array.hpp"

namespace pleat::arrays {

/// Numbers as somebody else has them: in either byte order, with any distance between them.
struct stored_numbers {
  number_type type;
  bool foreign = false;  ///< not in this machine's byte order
  std::vector<std::size_t> shape;
  std::vector<std::size_t> strides;  ///< of each dimension, in numbers
  const std::byte* data = nullptr;

  /// Describes an array without gaps; in C order, or in Fortran order.
  static stored_numbers packed(const typed_array& array, bool foreign = false,
                               bool fortran_order = false);

  /// Moves one dimension to another place, as numpy.moveaxis does.
  [[nodiscard]] stored_numbers moved(std::size_t from, std::size_t to) const;
};

/// Copies the numbers into an array in C order, converted to its type.
///
/// Requires: from.shape = to.shape, memory that does not overlap, and types that are the same or
/// that converts() allows.
void copy_numbers(const stored_numbers& from, const typed_array& to);

/// Tells whether numbers can be converted: real ones but long double to float or double, and those
/// or their complex numbers to complex ones of float or double.
[[nodiscard]] bool converts(const number_type& from, const number_type& to) noexcept;

}  // namespace pleat::arrays
