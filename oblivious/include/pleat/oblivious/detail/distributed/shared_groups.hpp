// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/value_list.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The groups of n elements (everyday/groups.hpp) where the elements lie in blocks of ranks. Where
/// groups begin depends on n alone, so that sums do not depend on ranks. A group belongs to the
/// rank that has its first element: to the VP with the last groups of that rank, if it goes on in
/// other blocks. What these have of it, their *head*, they send there.
class shared_groups {
 public:
  shared_groups(std::size_t n, std::size_t rank, bool cheap) noexcept
      : all_{0, n}, rank_(rank), groups_(n, cheap) {}

  [[nodiscard]] interval<> block(std::size_t rank, std::size_t ranks) const noexcept {
    return all_.share(rank, ranks);
  }
  [[nodiscard]] interval<> group(std::size_t g) const noexcept { return groups_.group(g); }
  /// The groups whose first element is in a block.
  [[nodiscard]] interval<> groups_of(const interval<>& block) const noexcept {
    const std::size_t w = groups_.width();
    return {(block.first + w - 1) / w, (block.last + w - 1) / w};
  }
  /// Those of a VP of this rank.
  [[nodiscard]] interval<> groups_here(const vp& me, const rank_places& places) const noexcept {
    const rank_range& here = places[rank_];
    return groups_of(block(rank_, places.size())).share(me.rank() - here.first, here.size());
  }
  /// The elements of a block that belong to a group of another rank.
  [[nodiscard]] interval<> head_of(std::size_t rank, std::size_t ranks) const noexcept {
    const interval<> mine = block(rank, ranks);
    const std::size_t last = std::min(mine.last, groups_of(mine).first * groups_.width());
    return {mine.first, std::max(mine.first, last)};
  }
  /// Which rank that is. Requires: ranks' head is not empty.
  [[nodiscard]] std::size_t head_owner(std::size_t rank, std::size_t ranks) const noexcept {
    const std::size_t first = block(rank, ranks).first / groups_.width() * groups_.width();
    std::size_t owner = 0;
    while (!block(owner, ranks).contains(first)) ++owner;
    return owner;
  }

  /// The head of this rank goes to its owner, as T's; get(j) is element j of the block.
  template <class T, class Get>
  void send_head(vp& me, const rank_places& places, const Get& get) const {
    const interval<> head = head_of(rank_, places.size());
    if (me.rank() != places[rank_].first || head.empty()) return;
    value_list<T> values(head.size());
    for (std::size_t j = 0; j < head.size(); ++j) values.add(static_cast<T>(get(j)));
    me.send(places[head_owner(rank_, places.size())].last - 1, values.all());
  }
  /// A group that goes on in other blocks, from its first element in this block and all heads.
  template <class T, class Get>
  [[nodiscard]] value_list<T> whole_group(const interval<>& group, const interval<>& block, vp& me,
                                          const Get& get) const {
    value_list<T> values(group.size());
    for (std::size_t i = group.first; i < block.last; ++i)
      values.add(static_cast<T>(get(i - block.first)));
    for (auto m = me.receive(); m; m = me.receive())  // in the order of the ranks
      for (const T& value : m->template span<T>()) values.add(value);
    return values;
  }

 private:
  interval<> all_;
  std::size_t rank_;
  everyday::grouping groups_;
};

}  // namespace pleat::detail::distribution
