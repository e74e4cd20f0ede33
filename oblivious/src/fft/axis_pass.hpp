// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/runtime/interval.hpp>

#include "fft/line_transform.hpp"

namespace pleat::detail::fourier {

/// Dimension of an array that is read and of one that is written: its elements, and the numbers (of
/// type T) from one to the next.
struct dimension {
  std::size_t size;
  std::ptrdiff_t from, to;
};

/// Transforms of all lines along one axis of an array, in groups of lines side by side. The lines
/// are numbered as the dimensions besides the axis are given, the last one fastest. A line is
/// transformed
///
///     where it is    if its elements follow each other, as well as those of lines behind it
///     as columns     complex lines beside each other: one in each lane of a vector
///     in memory      otherwise: lines beside each other are copied, transformed, and copied back
template <class T> class axis_pass {
 public:
  /// `axis.size` is not used: the lines say how long they are. Dimensions of one element may be
  /// left out.
  axis_pass(line_transform<T> lines, dimension axis, std::vector<dimension> besides);

  /// Groups of lines, and the lines that are in those before group g.
  [[nodiscard]] std::size_t groups() const noexcept { return rows_ * groups_in_row(); }
  [[nodiscard]] std::size_t lines_before(std::size_t g) const noexcept;
  /// Lines of a group, but for the last one of a row.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }

  /// Numbers of memory, aligned to a line, that a run needs.
  [[nodiscard]] std::size_t numbers() const noexcept;
  /// Transforms the lines of groups [mine.first, mine.last). `from` and `to` are element 0 of the
  /// arrays, which are the same, or have no memory in common.
  void run(const T* from, T* to, interval<> mine, T* memory) const noexcept;

 private:
  enum class way { in_place, columns, copied };

  /// Chooses, and takes the plan for columns if they are meant.
  [[nodiscard]] way choose_way();
  [[nodiscard]] std::size_t groups_in_row() const noexcept {
    return (last_.size + width_ - 1) / width_;
  }
  [[nodiscard]] std::size_t panel_numbers() const noexcept {
    return whole_lines<T>(2 * lines_.in().elements * panel_columns_);
  }
  /// f(from, to, lines), where the lines of these groups are: those of one row of the last
  /// dimension at a time.
  template <class F> void for_each_row(interval<> groups, const F& f) const;
  void run_in_place(const T* from, T* to, interval<> mine, T* memory) const noexcept;
  void run_columns(const T* from, T* to, interval<> mine, T* memory) const noexcept;
  void run_copied(const T* from, T* to, interval<> mine, T* memory) const noexcept;

  line_transform<T> lines_;
  dimension axis_;
  std::vector<dimension> outer_;  ///< besides the last one
  dimension last_{1, 0, 0};
  std::size_t rows_ = 1;
  way way_;
  std::size_t width_ = 1;          ///< lines of a group
  std::size_t panel_columns_ = 0;  ///< columns that are copied together, if they are
  std::shared_ptr<const plane_plan<T>> columns_;
};

}  // namespace pleat::detail::fourier
