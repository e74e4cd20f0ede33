// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <complex>
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::fourier {

/// Transforms of all rows of a matrix, then of all columns: P VPs share the rows, lend each other
/// what they need of them, and share the columns.
template <class T> class plane_program {
 public:
  using complex = std::complex<T>;

  /// Requires: a matrix that is not empty; `from` may be `to`.
  plane_program(strided_view<const complex> from, strided_view<complex> to, ends<T> how,
                std::size_t vps)
      : from_(from),
        to_(to),
        how_(how),
        vps_(vps),
        across_(plan_for<T>(to.columns)),
        down_(plane_plan_for<T>(to.rows)) {}

  /// Numbers of memory, aligned to a line, that the run needs.
  [[nodiscard]] std::size_t numbers() const noexcept {
    return std::min(vps_, std::max(to_.rows, groups())) * share_numbers();
  }
  void use(T* memory) noexcept { memory_ = memory; }

  /// The program of one VP: one superstep.
  task<> operator()(vp& me) {
    const std::size_t q = me.rank();
    transform_rows(q);
    for (std::size_t r = 0; r < vps_; ++r) {
      const strided_view<complex> part = window(q, r);
      if (!part.empty()) me.lend(r, part);
    }
    co_await me.sync(0);
    for (std::size_t r = 0; r < vps_; ++r) {
      const strided_view<complex> part = window(r, q);
      if (part.empty()) continue;
      [[maybe_unused]] const auto m = me.receive();
      assert(m->template view<complex>().data == part.data);  // it is where it is wanted
    }
    transform_columns_of(q);
  }

  void transform_rows(std::size_t q) const noexcept {
    const interval<> mine = rows_of(q);
    const ends<T> how{how_.inverse, 1, false};
    for (std::size_t i = mine.first; i < mine.last; ++i)
      transform_alone<T>(*across_, numbers_at(from_.data + i * from_.stride), how,
                         memory_of(q, to_.rows, mine), numbers_at(to_.data + i * to_.stride));
  }
  void transform_columns_of(std::size_t q) const noexcept {
    const interval<> mine = interval<>{0, groups()}.share(q, vps_);
    for (std::size_t g = mine.first; g < mine.last; ++g)
      transform_group(g * down_->lanes, memory_of(q, groups(), mine));
  }

 private:
  static const T* numbers_at(const complex* at) noexcept { return reinterpret_cast<const T*>(at); }
  static T* numbers_at(complex* at) noexcept { return reinterpret_cast<T*>(at); }

  /// Number of column groups, each as wide as a vector has lanes.
  [[nodiscard]] std::size_t groups() const noexcept {
    return (to_.columns + down_->lanes - 1) / down_->lanes;
  }
  [[nodiscard]] interval<> rows_of(std::size_t q) const noexcept {
    return interval<>{0, to_.rows}.share(q, vps_);
  }
  [[nodiscard]] interval<> columns_of(std::size_t q) const noexcept {
    const interval<> mine = interval<>{0, groups()}.share(q, vps_);
    return {std::min(mine.first * down_->lanes, to_.columns),
            std::min(mine.last * down_->lanes, to_.columns)};
  }
  /// The rows of VP q in the columns of VP r.
  [[nodiscard]] strided_view<complex> window(std::size_t q, std::size_t r) const noexcept {
    const interval<> rows = rows_of(q), columns = columns_of(r);
    return {to_.data + rows.first * to_.stride + columns.first, rows.size(), columns.size(),
            to_.stride};
  }
  [[nodiscard]] std::size_t share_numbers() const noexcept {
    const std::size_t column =
        down_->one ? whole_lines<T>(2 * to_.rows) + alone_numbers(*down_->one)
                   : whole_lines<T>(work_numbers<T>(down_->columns.work_rows(), down_->lanes));
    return std::max(alone_numbers(*across_), column);
  }
  /// Memory of VP q, which has share `mine` of `count` things, at least one.
  [[nodiscard]] T* memory_of(std::size_t q, std::size_t count, interval<> mine) const noexcept {
    return memory_ + (vps_ <= count ? q : mine.first) * share_numbers();
  }

  /// Transforms the columns of a group, the first of which is j.
  void transform_group(std::size_t j, T* work) const noexcept {
    const std::size_t count = std::min(down_->lanes, to_.columns - j);
    T* const first = numbers_at(to_.data + j);
    if (!down_->one) {
      transform_columns<T>(down_->columns, {first, to_.stride, count}, how_, work,
                           {first, to_.stride, count});
      return;
    }
    T* const rest = work + whole_lines<T>(2 * to_.rows);
    for (std::size_t c = 0; c < count; ++c) {  // a size with large prime factors: one by one
      T* const column = first + 2 * c;
      for (std::size_t i = 0; i < to_.rows; ++i)
        std::copy_n(column + 2 * i * to_.stride, 2, work + 2 * i);
      transform_alone<T>(*down_->one, work, how_, rest, work);
      for (std::size_t i = 0; i < to_.rows; ++i)
        std::copy_n(work + 2 * i, 2, column + 2 * i * to_.stride);
    }
  }

  strided_view<const complex> from_;
  strided_view<complex> to_;
  ends<T> how_;
  std::size_t vps_;
  std::shared_ptr<const transform_plan<T>> across_;
  std::shared_ptr<const plane_plan<T>> down_;
  T* memory_ = nullptr;
};

}  // namespace pleat::detail::fourier
