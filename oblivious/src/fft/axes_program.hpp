// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/detail/crossings.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/axis_pass.hpp"

namespace pleat::detail::fourier {

/// Arrays of a transform of several axes: the user's input, or a resized copy; the user's output;
/// and a middle array for the passes between the first and the last. The middle array is the
/// output, unless that holds real numbers.
enum class side { input, middle, output };
inline constexpr std::size_t sides = 3;

/// Dimension of one of the user's arrays: its number of elements, and its stride in elements if the
/// array is dense.
struct blocked_dimension {
  std::size_t size, step;
};

/// Dimension of all three arrays: how many lines of other axes lie along it, and its stride in each
/// array, in numbers of type T.
struct lined_dimension {
  std::size_t size;
  std::array<std::ptrdiff_t, sides> strides;
  blocked_dimension input, output;

  [[nodiscard]] std::ptrdiff_t stride(side of) const noexcept {
    return strides[static_cast<std::size_t>(of)];
  }
  /// Returns the dimension for a pass that reads array `read` and writes array `written`.
  [[nodiscard]] dimension between(side read, side written) const noexcept {
    return {size, stride(read), stride(written)};
  }
};

/// Element 0 of the three arrays, or of parts of them.
template <class T> struct places {
  const T* input;
  T* middle;
  T* output;

  [[nodiscard]] const T* read(side of) const noexcept {
    return of == side::input ? input : of == side::middle ? middle : output;
  }
  [[nodiscard]] T* written(side of) const noexcept { return of == side::middle ? middle : output; }
  /// Returns the places of index i of a dimension.
  [[nodiscard]] places at(const lined_dimension& along, std::size_t i) const noexcept {
    const auto k = static_cast<std::ptrdiff_t>(i);
    return {input + k * along.strides[0], middle + k * along.strides[1],
            output + k * along.strides[2]};
  }
};

/// Pass along an axis, with the arrays that it reads and writes.
template <class T> struct placed_pass {
  side read, written;
  axis_pass<T> of;
  /// Transforms the lines of these groups.
  void run(const places<T>& at, interval<> groups, T* memory) const noexcept {
    of.run(at.read(read), at.written(written), groups, memory);
  }
};

/// Axis that is transformed.
template <class T> struct transformed_axis {
  lined_dimension along;
  line_transform<T> lines;
  side read = side::middle, written = side::middle;

  [[nodiscard]] placed_pass<T> pass(const std::vector<lined_dimension>& besides) const {
    std::vector<dimension> seen;
    for (const lined_dimension& one : besides) seen.push_back(one.between(read, written));
    return {read, written, axis_pass<T>(lines, along.between(read, written), std::move(seen))};
  }
};

/// Transform of all axes of a box by one VP. The outermost axes are cut, one after the other, until
/// the remaining boxes fit the cache or have two axes. Each of these boxes is transformed axis by
/// axis; the axes that were cut follow, the innermost of them first. So each axis takes at most one
/// pass over memory, and axes of a box that fits the cache share one. An inverse transform to real
/// numbers ends with the innermost axis, so it does all this in the opposite order.
template <class T> class axes_box {
 public:
  /// Requires: axes in the order in which they are transformed, by ascending strides if
  /// `innermost_first`, else descending. `beside` is the dimension, if there is one, that is not
  /// transformed and whose elements are adjacent.
  axes_box(const std::vector<transformed_axis<T>>& axes, bool innermost_first,
           const std::optional<lined_dimension>& beside)
      : innermost_first_(innermost_first) {
    std::vector<transformed_axis<T>> inwards = axes;
    if (innermost_first) std::reverse(inwards.begin(), inwards.end());
    std::size_t cut = 0;
    while (inwards.size() - cut > 2 && numbers_from(inwards, cut, beside) * sizeof(T) > cached)
      ++cut;
    const auto besides = [&](std::size_t first, std::size_t without) {
      std::vector<lined_dimension> seen;
      for (std::size_t i = first; i < inwards.size(); ++i)
        if (i != without) seen.push_back(inwards[i].along);
      if (beside) seen.push_back(*beside);
      return seen;
    };
    for (std::size_t i = 0; i < cut; ++i)
      cut_.push_back({inwards[i].along, inwards[i].pass(besides(i + 1, i))});
    for (std::size_t i = cut; i < inwards.size(); ++i)
      whole_.push_back(inwards[i].pass(besides(cut, i)));
    if (innermost_first) std::reverse(whole_.begin(), whole_.end());
  }

  [[nodiscard]] std::size_t numbers() const noexcept {
    std::size_t most = 0;
    for (const auto& one : cut_) most = std::max(most, one.second.of.numbers());
    for (const auto& one : whole_) most = std::max(most, one.of.numbers());
    return most;
  }
  void run(const places<T>& at, T* memory) const noexcept { run_from(0, at, memory); }

 private:
  /// Greatest size, in bytes, of a box that stays in the second-level cache during its transform.
  static constexpr std::size_t cached = std::size_t{1} << 19;

  static std::size_t numbers_from(const std::vector<transformed_axis<T>>& axes, std::size_t first,
                                  const std::optional<lined_dimension>& beside) {
    std::size_t product = beside ? 2 * beside->size : 2;
    for (std::size_t i = first; i < axes.size(); ++i) product *= axes[i].along.size;
    return product;
  }
  static void run_all(const placed_pass<T>& one, const places<T>& at, T* memory) noexcept {
    one.run(at, {0, one.of.groups()}, memory);
  }
  void run_from(std::size_t level, const places<T>& at, T* memory) const noexcept {
    if (level == cut_.size()) {
      for (const auto& one : whole_) run_all(one, at, memory);
      return;
    }
    const auto& [along, pass] = cut_[level];
    if (!innermost_first_) run_all(pass, at, memory);
    for (std::size_t i = 0; i < along.size; ++i) run_from(level + 1, at.at(along, i), memory);
    if (innermost_first_) run_all(pass, at, memory);
  }

  bool innermost_first_;
  std::vector<std::pair<lined_dimension, placed_pass<T>>> cut_;  ///< outermost first
  std::vector<placed_pass<T>> whole_;                            ///< of the inner box, in order
};

/// Transforms of some axes of an array by P VPs.
///
///     boxes      all axes but one, the head, are transformed in boxes: one box for each index of
///                the head and of the dimensions that are not transformed
///        │       one superstep
///     lines      along the head, the axis with the longest stride
///
/// Boxes and lines are divided among the VPs. If the dimensions that are not transformed have at
/// least P indices, boxes have all axes and there is no superstep. An inverse transform to real
/// numbers begins with the lines. Each VP owns an equal block of the user's arrays; elements that
/// the first part reads from blocks of other VPs, or the last part writes into them, are counted.
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
      std::vector<lined_dimension> across = outer_, inwards;
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
    if (rows_ && rows_->of.width() == 1) return;  // groups are boxes, so run takes several at once
    rows_.reset();
    box_.emplace(axes, innermost_first, beside);
  }

  /// Allocates the work memory of the VPs. Requires: the caller has its turn at scratch memory.
  void allocate(arena& in) {
    std::size_t most = lines_ ? lines_->of.numbers() : 0;
    if (rows_) most = std::max(most, rows_->of.numbers());
    if (box_) most = std::max(most, box_->numbers());
    memory_ = in.arrays<T>(most, vps_);
  }
  void use(const places<T>& at) noexcept { at_ = at; }

  [[nodiscard]] bool has_phase(std::size_t i) const noexcept { return i < (is_single() ? 1 : 2); }
  void phase(std::size_t i, vp* me) const {
    const std::size_t q = rank_of(me);
    const part now = i == 0 ? first() : second();
    run_part(now, q);
    if (!counted(me)) return;
    if (i == 0) {
      const std::vector<std::size_t> come = held(q, now, &lined_dimension::input);
      for (std::size_t r = 0; r < vps_; ++r) count_reading(*me, r, come[r]);
    }
    if (has_phase(i + 1)) {
      for (std::size_t r = 0; r < vps_; ++r) me->count_crossing(r, crossing(q, r));
    } else {
      const std::vector<std::size_t> leave = held(q, now, &lined_dimension::output);
      for (std::size_t r = 0; r < vps_; ++r) me->count_crossing(r, leave[r]);
    }
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
  [[nodiscard]] interval<> boxes_of(std::size_t q) const noexcept {
    return interval<>{0, outer_count_ * head_}.share(q, vps_);
  }
  [[nodiscard]] interval<> groups_of(std::size_t q) const noexcept {
    return interval<>{0, lines_->of.groups()}.share(q, vps_);
  }
  void run_part(part which, std::size_t q) const noexcept {
    T* const memory = memory_[q];
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

  /// Returns the number of elements that VP q writes in the first part and r reads in the second.
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

  /// Counts the elements of a user's array that VP q handles in a part, by the VP that owns them.
  [[nodiscard]] std::vector<std::size_t> held(std::size_t q, part which,
                                              blocked_dimension lined_dimension::*array) const {
    const bool lines = which == part::lines;
    const std::vector<lined_dimension>&across = lines ? across_ : outer_,
          &inside = lines ? in_line_ : in_box_;
    std::size_t all = 1, each = 1;
    for (const lined_dimension& one : across) all *= one.size;
    for (const lined_dimension& one : inside) each *= (one.*array).size;
    all *= each;
    interval<> mine = boxes_of(q);
    if (lines) {
      const interval<> groups = groups_of(q);
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
      ++counts[((place + 1) * vps_ - 1) / all];  // VP that owns the place
    }
    return counts;
  }

  std::size_t vps_;
  bool boxes_first_;
  std::vector<lined_dimension> across_, in_line_;  ///< across lines, and along them
  std::vector<lined_dimension> in_box_;
  std::vector<lined_dimension> outer_;  ///< across boxes; the head is the last
  std::size_t outer_count_ = 1;         ///< indices of outer_ but the head
  std::size_t head_ = 1;
  std::optional<axes_box<T>> box_;
  std::optional<placed_pass<T>> rows_, lines_;
  places<T> at_{};
  vp_arrays<T> memory_;
};

}  // namespace pleat::detail::fourier
