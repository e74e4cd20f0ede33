// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pleat::arrays {

enum class number_kind { boolean, signed_integer, unsigned_integer, floating, complex };

/// Type of the numbers of an array, in this machine's byte order: bool, integers of 1 to 8 bytes,
/// float16 to long double, complex of any of float, double, long double.
struct number_type {
  number_kind kind;
  std::size_t bytes;

  bool operator==(const number_type&) const = default;
};

/// Numbers whose type is known at run time, in C order, in memory that somebody else owns.
struct typed_array {
  number_type type;
  std::vector<std::size_t> shape;
  std::byte* data = nullptr;

  [[nodiscard]] std::size_t elements() const noexcept {
    std::size_t product = 1;
    for (const std::size_t size : shape) product *= size;
    return product;
  }
  /// Numbers along the last dimension. Requires at least one dimension.
  [[nodiscard]] std::size_t row() const noexcept { return shape.back(); }
  /// Number of rows of the array, all its dimensions but the last taken together.
  [[nodiscard]] std::size_t rows() const noexcept {
    return shape.back() == 0 ? 0 : elements() / shape.back();
  }
  /// Elements of the array. Requires: T is what `type` says, as it lies in memory.
  template <class T> [[nodiscard]] std::span<T> as() const noexcept {
    return {reinterpret_cast<T*>(data), elements()};
  }
};

/// Numbers of such a type at any places: element (i, j, …) lies i·strides[0] + j·strides[1] + …
/// elements behind `data`.
struct strided_array {
  number_type type;
  std::vector<std::size_t> shape;
  std::vector<std::ptrdiff_t> strides;
  std::byte* data = nullptr;

  strided_array() = default;
  strided_array(number_type of, std::vector<std::size_t> sizes, std::vector<std::ptrdiff_t> apart,
                std::byte* first)
      : type(of), shape(std::move(sizes)), strides(std::move(apart)), data(first) {}
  strided_array(const typed_array& rows)  // NOLINT(google-explicit-constructor): the same thing
      : type(rows.type), shape(rows.shape), strides(rows.shape.size()), data(rows.data) {
    std::ptrdiff_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0; step *= static_cast<std::ptrdiff_t>(shape[i]))
      strides[i] = step;
  }
};

}  // namespace pleat::arrays
