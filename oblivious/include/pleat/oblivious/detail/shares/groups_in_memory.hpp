// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/program/blocks_of_vps.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::everyday {

/// Distribution of groups over VPs that read one memory: equal shares of the groups that are
/// left. Each group lies with one VP. groups_over_ranks is the other kind.
class groups_in_memory {
 public:
  /// Says that a VP may read groups, and write their results, in the blocks of other VPs.
  static constexpr bool in_common_memory = true;
  /// Says whether parts of a group may lie with several VPs.
  static constexpr bool straddle = false;
  /// Values of such a group; none here.
  template <class T> struct values {};

  /// Takes all groups from `first` on, not none.
  groups_in_memory(const grouping& groups, std::size_t first) noexcept
      : groups_(groups), left_{first, groups.count()} {}

  [[nodiscard]] interval<> group(std::size_t g) const noexcept { return groups_.group(g); }
  [[nodiscard]] interval<> of(const vp& me, std::size_t round = 0,
                              std::size_t rounds = 1) const noexcept {
    return left_.share(round, rounds).share(me.rank(), me.size());
  }
  /// The number of rounds in which each VP has at most so many groups.
  [[nodiscard]] std::size_t rounds(const vp& me, std::size_t most) const noexcept {
    return (left_.size() - 1) / (most * me.size()) + 1;
  }
  /// Counts what `me` reads of these groups in blocks of other VPs.
  void count_read(vp& me, const interval<>& some) const {
    if (!some.empty())
      blocks_of_vps(me, groups_.size()).read({group(some.first).first, group(some.last - 1).last});
  }
  /// The place of a VP among those of this process.
  [[nodiscard]] static std::size_t place(const vp& me) noexcept { return me.rank(); }

 private:
  grouping groups_;
  interval<> left_;
};

}  // namespace pleat::detail::everyday
