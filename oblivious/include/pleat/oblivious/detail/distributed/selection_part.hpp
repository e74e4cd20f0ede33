// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/shares/placing.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The place of the high pivot, and whether both are equal.
struct chosen_pivots {
  std::uint64_t high, equal;
};
/// Numbers of elements that are less than the low pivot, not less, and greater than the high one,
/// of one VP or of all; and the numbers of those on VPs before one.
struct partition_counts {
  std::uint64_t below, between, above;
  std::uint64_t below_before, between_before;
};

/// The elements of one VP in a selection: those among which the k-th may be are left, all others
/// are done, which means that their places are known.
template <class T> class selection_part {
 public:
  /// Copies the values, the first of which has place `first`, to `work`; `spare` has room for as
  /// many.
  selection_part(std::size_t first, std::span<const T> values, T* work, T* spare)
      : work_(work), spare_(spare), left_{0, values.size()}, first_(first), marks_(values.size()) {
    std::uninitialized_copy(values.begin(), values.end(), work);
  }

  /// Sends VP 0 those elements of a sample that are here.
  void send_sample(vp& me, const std::vector<std::size_t>& sample) const {
    const interval<> here = places();
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(sample, [&](std::size_t place) { return here.contains(place); }));
    if (count == 0) return;
    const auto values = std::make_unique<T[]>(count);
    T* to = values.get();
    for (const std::size_t place : sample)
      if (here.contains(place)) *to++ = at(place);
    me.send(0, std::span<const T>(values.get(), count));
  }
  /// Exchanges two elements, as far as they are here.
  void exchange(std::size_t a, std::size_t b, const T& value_of_a, const T& value_of_b) {
    if (places().contains(a)) at(a) = value_of_b;
    if (places().contains(b)) at(b) = value_of_a;
  }
  /// Sends VP 0 how many of those that are left are on each side of the pivots.
  template <class Below, class Above> void mark(vp& me, const Below& below, const Above& above) {
    std::array<std::uint64_t, 3> counts{};
    for (std::size_t i = left_.first; i < left_.last; ++i) {
      const unsigned side = below(work_[i]) ? 0 : above(work_[i]) ? 2 : 1;
      marks_[i] = static_cast<std::uint8_t>(side);
      ++counts[side];
    }
    me.send(0, partition_counts{counts[0], counts[1], counts[2], 0, 0});
  }

  /// Keeps the elements below the pivots; all others are done. `all` were left, on all VPs.
  void keep_below(const interval<>& all, const partition_counts& counts) {
    const std::array<interval<>, 3> sides =
        divide([](unsigned mark) { return mark == 0 ? 0U : 2U; });
    const std::size_t rest_before = first_ - all.first - counts.below_before;
    leave(sides[2], all.first + counts.below + rest_before);
    left_ = sides[0];
    first_ = all.first + counts.below_before;
  }
  /// Keeps the elements between the pivots, or those above.
  void keep(const interval<>& all, const partition_counts& counts, bool between) {
    const std::array<interval<>, 3> sides = divide([](unsigned mark) { return mark; });
    const std::size_t above_before =
        first_ - all.first - counts.below_before - counts.between_before;
    const std::size_t between_first = all.first + counts.below + counts.between_before;
    const std::size_t above_first = all.first + counts.below + counts.between + above_before;
    leave(sides[0], all.first + counts.below_before);
    leave(between ? sides[2] : sides[1], between ? above_first : between_first);
    left_ = between ? sides[1] : sides[2];
    first_ = between ? between_first : above_first;
  }

  void lend_left(vp& me) const {
    if (!left_.empty()) me.lend(0, std::span<const T>(work_ + left_.first, left_.size()));
  }
  /// Marks the elements that are left as done: they are in place.
  void leave_left() { leave(left_, first_); }
  void lend_done(vp& me, const vp_parts& parts) const {
    for (const piece& one : done_)
      distribution::lend_to_makers(me, parts, one.place,
                                   std::span<const T>(work_ + one.where.first, one.where.size()));
  }

 private:
  struct piece {
    interval<> where;
    std::size_t place;
  };

  /// Places of the elements that are left.
  [[nodiscard]] interval<> places() const noexcept { return {first_, first_ + left_.size()}; }
  [[nodiscard]] T& at(std::size_t place) const noexcept {
    return work_[left_.first + (place - first_)];
  }
  void leave(const interval<>& where, std::size_t place) {
    if (!where.empty()) done_.push_back({where, place});
  }
  /// Divides those that are left by the side that their marks tell, in order; returns where the
  /// sides then are.
  template <class Side> [[nodiscard]] std::array<interval<>, 3> divide(const Side& side) {
    std::array<std::size_t, 3> counts{};
    for (std::size_t i = left_.first; i < left_.last; ++i) ++counts[side(marks_[i])];
    const std::size_t one = left_.first + counts[0];
    const std::size_t two = one + counts[1];
    std::array<std::size_t, 3> next{left_.first, one, two};
    for (std::size_t i = left_.first; i < left_.last; ++i)
      std::construct_at(spare_ + next[side(marks_[i])]++, work_[i]);
    std::copy(spare_ + left_.first, spare_ + left_.last, work_ + left_.first);
    return {interval<>{left_.first, one}, {one, two}, {two, left_.last}};
  }

  T* work_;
  T* spare_;
  interval<> left_;
  std::size_t first_;  // the place of the first that is left, among all
  std::vector<std::uint8_t> marks_;
  std::vector<piece> done_;
};

}  // namespace pleat::detail::distribution
