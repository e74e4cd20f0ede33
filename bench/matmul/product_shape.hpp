// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

/// C is rows × columns, A rows × inner, B inner × columns.
struct product_shape {
  std::size_t rows, columns, inner;

  [[nodiscard]] double multiplications() const {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner);
  }
};

[[nodiscard]] constexpr product_shape square(std::size_t n) { return {n, n, n}; }

inline constexpr std::string_view shape_names = "square, panel-panel, matrix-panel, panel-matrix";
/// The shorter sides of thin matrices.
inline constexpr std::size_t thin_side = 32;

/// Source of the names of thin products: Goto, van de Geijn, Anatomy of High-Performance Matrix
/// Multiplication, 2008. Throws: pleat::usage_error for another name.
[[nodiscard]] inline product_shape shape_of(std::string_view name, std::size_t n) {
  if (name.empty() || name == "square") return square(n);
  if (name == "panel-panel") return {n, n, thin_side};
  if (name == "matrix-panel") return {n, thin_side, n};
  if (name == "panel-matrix") return {thin_side, n, n};
  throw usage_error("--shape: '" + std::string(name) + "' is none; choose " +
                    std::string(shape_names));
}

}  // namespace pleat::bench
