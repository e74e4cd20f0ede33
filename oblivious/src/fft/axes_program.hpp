// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/fft/tiling.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/axes.hpp"
#include "fft/axes_box.hpp"

namespace pleat::detail::fourier {

/// Transforms of some axes of an array by P VPs.
///
///     boxes      the axes but one, the head, are transformed in boxes: one for each index of the
///                head and of the dimensions that are not transformed
///        │       one superstep
///     lines      along the head, the axis with the longest stride
///
/// VPs share boxes, and lines. If there are as many indices besides as VPs, boxes have all axes,
/// and there is no superstep. An inverse transform to real numbers begins with the lines. The
/// user's arrays lie in equal blocks of elements, one of each VP: what the first part reads of
/// other VPs' and what the last part writes into them is counted.
template <class T> class axes_program {
 public:
  /// Requires: at least one axis, none of length 0; axes in the order in which they are transformed
  /// (axes_box); `besides`, the other dimensions, longest strides first.
  axes_program(std::vector<transformed_axis<T>> axes, bool innermost_first,
               std::vector<lined_dimension> besides, std::size_t vps)
      : vps_(vps), boxes_first_(innermost_first) {
    axes.front().read = side::input;
    axes.back().written = side::output;
    if (axes.size() == 1) {
      lines_.emplace(axes.front().pass(besides));
      in_line_ = {axes.front().along};
      across_ = std::move(besides);
      return;
    }
    std::optional<lined_dimension> beside;
    if (!besides.empty() && is_adjacent(besides.back())) {
      beside = besides.back();
      besides.pop_back();
    }
    outer_ = std::move(besides);
    for (const lined_dimension& one : outer_) outer_count_ *= one.size;
    if (outer_count_ < vps) {
      const std::size_t head = innermost_first ? axes.size() - 1 : 0;
      const transformed_axis<T> last = axes[head];
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(head));
      std::vector<lined_dimension> across = outer_;
      std::vector<lined_dimension> inwards;
      for (const auto& axis : axes) inwards.push_back(axis.along);
      if (innermost_first) std::reverse(inwards.begin(), inwards.end());
      across.insert(across.end(), inwards.begin(), inwards.end());
      if (beside) across.push_back(*beside);
      lines_.emplace(last.pass(across));
      in_line_ = {last.along};
      across_ = std::move(across);
      outer_.push_back(last.along);
      head_ = last.along.size;
    }
    for (const auto& axis : axes) in_box_.push_back(axis.along);
    if (beside) in_box_.push_back(*beside);
    if (axes.size() == 1 && !beside) rows_.emplace(axes.front().pass(outer_));
    if (rows_ && rows_->of.width() == 1) return;  // boxes are rows: several at a time
    rows_.reset();
    box_.emplace(axes, innermost_first, beside);
  }

  /// Numbers of memory, aligned to a line, that the run needs.
  [[nodiscard]] std::size_t numbers() const noexcept { return vps_ * share_numbers(); }
  void use(const places<T>& at, T* memory) noexcept {
    at_ = at;
    memory_ = memory;
  }

  /// The program of one VP.
  task<> operator()(vp& me) {
    const std::size_t q = me.rank();
    part now = first();
    const std::vector<std::size_t> come = held(me, now, &lined_dimension::input);
    for (std::size_t r = 0; r < come.size(); ++r) count_reading(me, r, come[r]);
    run_part(now, q);
    if (!is_single()) {
      for (std::size_t r = 0; r < vps_; ++r) me.count_crossing(r, crossing(q, r));
      co_await me.sync(0);
      now = second();
      run_part(now, q);
    }
    if (!counts_crossings(me)) co_return;
    const std::vector<std::size_t> leave = held(me, now, &lined_dimension::output);
    for (std::size_t r = 0; r < leave.size(); ++r) me.count_crossing(r, leave[r]);
    co_await me.sync(0);
  }
  /// Carries out all of it by one VP.
  void run_alone() const noexcept {
    run_part(first(), 0);
    if (!is_single()) run_part(second(), 0);
  }

 private:
  enum class part { boxes, lines };

  static bool is_adjacent(const lined_dimension& one) noexcept {
    return one.stride(side::middle) == 1 || one.stride(side::middle) == 2;
  }
  [[nodiscard]] bool has_boxes() const noexcept { return rows_ || box_; }
  [[nodiscard]] bool is_single() const noexcept { return !has_boxes() || !lines_; }
  [[nodiscard]] part first() const noexcept {
    return has_boxes() && (boxes_first_ || !lines_) ? part::boxes : part::lines;
  }
  [[nodiscard]] part second() const noexcept {
    return first() == part::boxes ? part::lines : part::boxes;
  }
  [[nodiscard]] std::size_t share_numbers() const noexcept {
    std::size_t most = 0;
    if (rows_) most = rows_->of.numbers();
    if (box_) most = box_->numbers();
    return whole_lines<T>(std::max(most, lines_ ? lines_->of.numbers() : 0));
  }
  [[nodiscard]] interval<> boxes_of(std::size_t q) const noexcept {
    return interval<>{0, outer_count_ * head_}.share(q, vps_);
  }
  [[nodiscard]] interval<> groups_of(std::size_t q) const noexcept {
    return interval<>{0, lines_->of.groups()}.share(q, vps_);
  }
  void run_part(part which, std::size_t q) const noexcept {
    T* const memory = memory_ + q * share_numbers();
    if (which == part::lines) {
      lines_->run(at_, groups_of(q), memory);
      return;
    }
    const interval<> mine = boxes_of(q);
    if (rows_) {
      rows_->run(at_, mine, memory);
      return;
    }
    for (std::size_t i = mine.first; i < mine.last; ++i) {
      places<T> at = at_;
      std::size_t rest = i;
      for (std::size_t d = outer_.size(); d-- > 0; rest /= outer_[d].size)
        at = at.at(outer_[d], rest % outer_[d].size);
      box_->run(at, memory);
    }
  }

  /// Elements that VP q writes in the first part and VP r reads in the second one.
  [[nodiscard]] std::size_t crossing(std::size_t q, std::size_t r) const noexcept {
    const interval<> boxes = boxes_of(boxes_first_ ? q : r);
    const interval<> groups = groups_of(boxes_first_ ? r : q);
    const interval<> lines{lines_->of.lines_before(groups.first),
                           lines_->of.lines_before(groups.last)};
    const std::size_t each = lines_->of.lines_before(lines_->of.groups()) / outer_count_;
    std::size_t sum = 0;
    for (std::size_t t = boxes.first / head_; t * head_ < boxes.last; ++t)
      sum += intersect(boxes, {t * head_, (t + 1) * head_}).size() *
             intersect(lines, {t * each, (t + 1) * each}).size();
    return sum;
  }

  /// Elements of each VP's block of one of the user's arrays that a part of `me` holds. Nothing if
  /// the machine does not count.
  [[nodiscard]] std::vector<std::size_t> held(vp& me, part which,
                                              blocked_dimension lined_dimension::*array) const {
    if (!counts_crossings(me)) return {};
    const bool lines = which == part::lines;
    const std::vector<lined_dimension>&across = lines ? across_ : outer_,
          &inside = lines ? in_line_ : in_box_;
    std::size_t all = 1, each = 1;
    for (const lined_dimension& one : across) all *= one.size;
    for (const lined_dimension& one : inside) each *= (one.*array).size;
    all *= each;
    interval<> mine = boxes_of(me.rank());
    if (lines) {
      const interval<> groups = groups_of(me.rank());
      mine = {lines_->of.lines_before(groups.first), lines_->of.lines_before(groups.last)};
    }
    std::vector<std::size_t> counts(vps_);
    for (std::size_t i = mine.first * each; i < mine.last * each; ++i) {
      std::size_t place = 0, rest = i;
      for (auto one = inside.rbegin(); one != inside.rend(); ++one) {
        const blocked_dimension along = (*one).*array;
        place += rest % along.size * along.step;
        rest /= along.size;
      }
      for (auto one = across.rbegin(); one != across.rend(); rest /= one->size, ++one)
        place += rest % one->size * ((*one).*array).step;
      ++counts[((place + 1) * vps_ - 1) / all];  // whose share has that place
    }
    return counts;
  }

  std::size_t vps_;
  bool boxes_first_;
  std::vector<lined_dimension> across_, in_line_;  ///< besides lines, and along them
  std::vector<lined_dimension> in_box_;
  std::vector<lined_dimension> outer_;  ///< of boxes: the others, then the head
  std::size_t outer_count_ = 1;         ///< indices of the others
  std::size_t head_ = 1;
  std::optional<axes_box<T>> box_;
  std::optional<placed_pass<T>> rows_, lines_;
  places<T> at_{};
  T* memory_ = nullptr;
};

}  // namespace pleat::detail::fourier
