// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>

namespace pleat::detail::fourier {

/// Panel of columns, which a pass reads or writes in a user's matrix as many at a time as a vector
/// has lanes: of each row two lines, rows a power of two apart, whose lines crowd in few sets of
/// the caches. Of many rows, the lines that were fetched for the next columns do not stay there. So
/// these are moved by panels: several such groups of columns, between the matrix and contiguous
/// memory row by row.
template <class T> class panel {
 public:
  /// Groups of columns in a panel, whose rows are as long as memory allows: a cache is filled the
  /// faster the more lines follow each other. 0: even short rows would take too much of it, more
  /// than an eighth of the matrix for all VPs, or a quarter for a VP alone.
  [[nodiscard]] static std::size_t groups_of(const tiling<T>& tiles) noexcept {
    constexpr std::size_t panel_most = std::size_t{1} << 19;  // bytes; of longer rows at least
    const std::size_t rows = longest(tiles.plan);
    const std::size_t matrix_bytes = 2 * tiles.plan.size * sizeof(T);
    const std::size_t allowed = matrix_bytes / (alone(tiles) ? 4 : 8) / tiles.vps;
    std::size_t row_bytes = rows * 1024 <= std::min(panel_most, allowed) ? 1024 : 512;
    if (rows * row_bytes > panel_most) row_bytes = 256;
    return rows * row_bytes <= allowed ? row_bytes / (2 * tiles.plan.lanes * sizeof(T)) : 0;
  }
  /// Numbers of memory of one VP's.
  [[nodiscard]] static std::size_t numbers(const tiling<T>& tiles) noexcept {
    return fourier::whole_lines<T>(longest(tiles.plan) * groups_of(tiles) * 2 * tiles.plan.lanes);
  }

  panel(const tiling<T>& tiles, T* memory) noexcept
      : groups_(groups_of(tiles)), columns_(groups_ * tiles.plan.lanes), memory_(memory) {}

  /// Tells whether panels pay for columns of so many rows: if they are many (measured).
  [[nodiscard]] bool pays(std::size_t rows) const noexcept {
    constexpr std::size_t many = 1024;
    return groups_ != 0 && rows >= many;
  }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }

  /// The first columns of the panel.
  [[nodiscard]] column_block<T> block(std::size_t count) const noexcept {
    return {memory_, columns_, count};
  }
  /// Copies columns of a matrix, at most a panel's. Returns where they are now.
  [[nodiscard]] column_block<const T> gather(const column_block<const T>& from,
                                             std::size_t rows) const noexcept {
    fourier::copy_rows<T>(from, rows, false, block(from.count));
    return {memory_, columns_, from.count};
  }
  /// Copies the panel's columns to those of a matrix.
  void scatter(const column_block<T>& to, std::size_t rows, bool stream) const noexcept {
    fourier::copy_rows<T>({memory_, columns_, to.count}, rows, stream, to);
  }

 private:
  static bool alone(const tiling<T>& tiles) noexcept { return tiles.vps == 1; }
  static std::size_t longest(const transform_plan<T>& plan) noexcept {
    return std::max(plan.rows, plan.width());
  }

  std::size_t groups_;
  std::size_t columns_;
  T* memory_;
};

}  // namespace pleat::detail::fourier
