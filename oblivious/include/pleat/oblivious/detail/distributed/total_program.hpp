// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/shared_groups.hpp>
#include <pleat/oblivious/detail/distributed/value_list.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/pairwise.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The sum of distributed elements, in the groups and the tree of the sum of one array
/// (everyday/total.hpp). get(j) is element j of this rank's block, as something that becomes a T.
///
///     heads    see shared_groups
///     groups   each VP combines its share of the rank's groups, and sends VP 0 its nodes
///     total    VP 0 completes the tree, and sends all ranks the result
template <class T, class Op, class Get> class total_program {
 public:
  /// For `cheap` see everyday::grouping.
  total_program(std::size_t n, std::size_t rank, bool cheap, T init, Op& op, const Get& get)
      : groups_(n, rank, cheap), rank_(rank), init_(init), op_(op), get_(get) {}
  total_program(const total_program&) = delete;
  total_program& operator=(const total_program&) = delete;

  /// Behind the run.
  [[nodiscard]] T total() const { return *total_; }

  task<> operator()(vp& me, const rank_places& places) {
    groups_.template send_head<T>(me, places, get_);
    co_await me.sync(0);
    everyday::pairwise<T, Op> sum(op_);
    add_groups(sum, me, places);
    for (const everyday::tree_node<T>& node : sum.nodes()) {
      me.send(0, node_place{node.first, node.level});
      me.send(0, node.value);
    }
    co_await me.sync(0);
    if (me.rank() == 0) complete(me, places);
    co_await me.sync(0);
    if (me.rank() == places[rank_].first) total_.emplace(me.receive()->template get<T>());
  }

 private:
  struct node_place {
    std::uint64_t first, level;
  };

  void add_groups(everyday::pairwise<T, Op>& sum, vp& me, const rank_places& places) const {
    const interval<> block = groups_.block(rank_, places.size());
    const interval<> mine = groups_.groups_here(me, places);
    for (std::size_t g = mine.first; g < mine.last; ++g) {
      const interval<> group = groups_.group(g);
      if (group.last <= block.last) {
        const interval<> here{group.first - block.first, group.last - block.first};
        sum.add({everyday::combine_group<T>(here, op_, get_), g, 0});
      } else {
        const value_list<T> all = groups_.template whole_group<T>(group, block, me, get_);
        const auto get = [&all](std::size_t i) -> const T& { return all[i]; };
        sum.add({everyday::combine_group<T>({0, all.size()}, op_, get), g, 0});
      }
    }
  }
  void complete(vp& me, const rank_places& places) const {
    everyday::pairwise<T, Op> tree(op_);
    for (auto place = me.receive(); place; place = me.receive()) {
      const auto at = place->template get<node_place>();
      const auto value = me.receive();
      tree.add({value->template get<T>(), at.first, static_cast<unsigned>(at.level)});
    }
    const T all = tree.finish(init_);
    for (const rank_range& rank : places) me.send(rank.first, all);
  }

  shared_groups groups_;
  std::size_t rank_;
  T init_;
  Op& op_;
  const Get& get_;
  std::optional<T> total_;
};

}  // namespace pleat::detail::distribution
