// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>

namespace pleat::detail::fourier {

/// Panel of columns, which a pass reads or writes in a user's matrix as many at a time as a vector
/// has lanes: of each row a line, or two halves of lines where the array does not begin with one,
/// rows a power of two apart, whose lines crowd in few sets of the caches. So it is done by panels:
/// several such groups of columns, moved between the matrix and contiguous memory row by row.
template <class T> class panel {
 public:
  /// Groups of columns in a panel; 0: those of all VPs would take more than an eighth of the
  /// matrix.
  [[nodiscard]] static std::size_t groups_of(const tiling<T>& tiles) noexcept {
    constexpr std::size_t most = std::size_t{1} << 20;  // bytes of a panel of long rows
    const transform_plan<T>& plan = tiles.plan;
    const std::size_t rows = longest(plan);
    const std::size_t row_bytes = 512 * rows < most ? 512 : 256;
    const bool small = 8 * tiles.vps * rows * row_bytes <= 2 * plan.size * sizeof(T);
    return small ? row_bytes / (2 * plan.lanes * sizeof(T)) : 0;
  }
  /// Numbers of memory of one VP's.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return whole_lines<T>(longest(tiles.plan) * groups_of(tiles) * 2 * tiles.plan.lanes);
  }

  panel(const tiling<T>& tiles, T* memory) noexcept
      : groups_(groups_of(tiles)), columns_(groups_ * tiles.plan.lanes), memory_(memory) {}

  /// Tells whether panels pay for these columns of a matrix: where a line holds numbers of two
  /// groups, where rows are many, and for writing past the caches.
  template <class Number>
  [[nodiscard]] bool pays(const column_block<Number>& columns, std::size_t rows,
                          bool stream = false) const noexcept {
    constexpr std::size_t crowding_rows = 512;
    constexpr std::size_t line = 64;
    const bool by_lines = reinterpret_cast<std::uintptr_t>(columns.data) % line == 0 &&
                          columns.stride * 2 * sizeof(T) % line == 0;
    return groups_ != 0 && (stream || !by_lines || rows >= crowding_rows);
  }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }

  /// The first columns of the panel.
  [[nodiscard]] column_block<T> block(std::size_t count) const noexcept {
    return {memory_, columns_, count};
  }
  /// Copies columns of a matrix, at most a panel's. Returns where they are now.
  [[nodiscard]] column_block<const T> gather(const column_block<const T>& from,
                                             std::size_t rows) const noexcept {
    copy_rows<T>(from, rows, false, block(from.count));
    return {memory_, columns_, from.count};
  }
  /// Copies the panel's columns to those of a matrix.
  void scatter(const column_block<T>& to, std::size_t rows, bool stream) const noexcept {
    copy_rows<T>({memory_, columns_, to.count}, rows, stream, to);
  }

 private:
  static std::size_t longest(const transform_plan<T>& plan) noexcept {
    return std::max(plan.rows, plan.width());
  }

  std::size_t groups_;
  std::size_t columns_;
  T* memory_;
};

}  // namespace pleat::detail::fourier
