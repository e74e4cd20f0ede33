// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

// How the matrix of a plan is cut into tiles, slabs of them, and shares of VPs.
namespace pleat::detail::fourier {

/// Numbers are kept in multiples of this many bytes: no two VPs write one pair of lines.
inline constexpr std::size_t line_bytes = 128;
template <class T> constexpr std::size_t whole_lines(std::size_t numbers) noexcept {
  constexpr std::size_t line = line_bytes / sizeof(T);
  return (numbers + line - 1) / line * line;
}

/// So many complex numbers are written past the caches: none holds them.
template <class T> constexpr bool is_streamed(std::size_t points) noexcept {
  return 2 * points * sizeof(T) >= std::size_t{1} << 24;
}

struct group_range {
  std::size_t first, last;  // [first, last)
  [[nodiscard]] constexpr std::size_t size() const noexcept { return last - first; }
};
/// Share q of w of `count` things, sizes differing by one at most.
constexpr group_range share_of(std::size_t count, std::size_t q, std::size_t w) noexcept {
  return {count * q / w, count * (q + 1) / w};
}

/// The matrix of a plan cut into groups of as many columns, and of rows, as a vector has lanes, for
/// w VPs. The first pass leaves tiles in the VPs' slabs, by groups of rows, so that what one VP
/// needs of another's slab is contiguous; all slabs together are the matrix.
template <class T> struct tiling {
  const transform_plan<T>& plan;
  std::size_t vps;

  [[nodiscard]] std::size_t column_groups() const noexcept {
    return (plan.width() + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t row_groups() const noexcept {
    return (plan.rows + plan.lanes - 1) / plan.lanes;
  }
  [[nodiscard]] std::size_t tile() const noexcept { return 2 * plan.lanes * plan.lanes; }
  /// All slabs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return whole_lines<T>(column_groups() * row_groups() * tile());
  }
  [[nodiscard]] group_range columns_of(std::size_t q) const noexcept {
    return share_of(column_groups(), q, vps);
  }
  [[nodiscard]] group_range rows_of(std::size_t q) const noexcept {
    return share_of(row_groups(), q, vps);
  }
  /// In the memory of all slabs: where that of VP q begins, and in it what VP r reads.
  [[nodiscard]] std::size_t slab(std::size_t q) const noexcept {
    return columns_of(q).first * row_groups() * tile();
  }
  [[nodiscard]] std::size_t chunk(std::size_t q, std::size_t r) const noexcept {
    return slab(q) + rows_of(r).first * columns_of(q).size() * tile();
  }
  [[nodiscard]] std::size_t chunk_numbers(std::size_t q, std::size_t r) const noexcept {
    return rows_of(r).size() * columns_of(q).size() * tile();
  }
};

/// What a VP needs besides the slabs: rows of vectors, and a pointer for each group of columns.
template <class T> std::size_t pass_numbers(const transform_plan<T>& plan) noexcept {
  const std::size_t rows =
      plan.method == method::direct ? plan.rows : std::max(plan.rows, plan.width());
  const std::size_t pointers = plan.width() * sizeof(T*) / sizeof(T);
  return whole_lines<T>(work_numbers<T>(rows, plan.lanes)) + whole_lines<T>(pointers);
}

}  // namespace pleat::detail::fourier
