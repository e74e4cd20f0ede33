// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/everyday/groups.hpp>
#include <pleat/oblivious/detail/everyday/lanes.hpp>
#include <pleat/oblivious/detail/everyday/pairwise.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// The sum of distributed elements, in the groups and the tree of the sum of one array
/// (everyday/total.hpp). A group belongs to the rank that holds its first element.
///
///     heads    each rank sends what it has of a group that began on another rank to the last VP
///              of that rank, which combines the rank's last group
///     groups   each VP combines its share of the rank's groups, and sends VP 0 its nodes
///     total    VP 0 completes the tree, and sends all ranks the result
template <class E, class T, class Op> class total_program {
 public:
  total_program(std::size_t n, std::size_t rank, std::span<const E> block, T init, Op& op)
      : all_{0, n}, rank_(rank), block_(block), init_(init), op_(op), groups_(n, cheap) {}
  total_program(const total_program&) = delete;
  total_program& operator=(const total_program&) = delete;

  /// Behind the run.
  [[nodiscard]] T total() const { return *total_; }

  task<> operator()(vp& me, const rank_places& places) {
    const rank_range& here = places[rank_];
    const interval<> block = all_.share(rank_, places.size());
    const interval<> owned = groups_of(block);
    if (me.rank() == here.first) send_head(me, places, block, owned);
    co_await me.sync(0);
    everyday::pairwise<T, Op> sum(op_);
    add_groups(sum, me, owned.share(me.rank() - here.first, here.size()), block);
    send_nodes(sum, me);
    co_await me.sync(0);
    if (me.rank() == 0) complete(me, places);
    co_await me.sync(0);
    if (me.rank() == here.first) total_.emplace(me.receive()->template get<T>());
  }

 private:
  static constexpr bool cheap = everyday::in_lanes<T, Op>;
  struct node_place {
    std::uint64_t first, level;
  };

  /// The groups whose first element is in a block.
  [[nodiscard]] interval<> groups_of(const interval<>& block) const noexcept {
    const std::size_t w = groups_.width();
    return {(block.first + w - 1) / w, (block.last + w - 1) / w};
  }
  void send_head(vp& me, const rank_places& places, const interval<>& block,
                 const interval<>& owned) const {
    const std::size_t last = std::min(block.last, owned.first * groups_.width());
    if (block.first >= last) return;
    const std::size_t began = block.first / groups_.width() * groups_.width();
    std::size_t owner = 0;
    while (!all_.share(owner, places.size()).contains(began)) ++owner;
    me.send(places[owner].last - 1, block_.first(last - block.first));
  }
  void add_groups(everyday::pairwise<T, Op>& sum, vp& me, const interval<>& mine,
                  const interval<>& block) const {
    const auto get = [&](std::size_t i) -> const E& { return block_[i - block.first]; };
    for (std::size_t g = mine.first; g < mine.last; ++g) {
      const interval<> group = groups_.group(g);
      if (group.last <= block.last)
        sum.add({everyday::combine_group<T>(group, op_, get), g, 0});
      else
        sum.add({whole_group(group, me, block), g, 0});
    }
  }
  /// Of a group that goes on in the next ranks' blocks.
  [[nodiscard]] T whole_group(const interval<>& group, vp& me, const interval<>& block) const {
    const auto elements = std::make_unique<E[]>(group.size());
    E* to = std::copy(block_.begin() + static_cast<std::ptrdiff_t>(group.first - block.first),
                      block_.end(), elements.get());
    for (auto m = me.receive(); m; m = me.receive()) {  // in the order of the ranks
      const std::span<const E> head = m->template span<E>();
      to = std::copy(head.begin(), head.end(), to);
    }
    return everyday::combine_group<T>({0, group.size()}, op_,
                                      [&](std::size_t i) -> const E& { return elements[i]; });
  }
  void send_nodes(everyday::pairwise<T, Op>& sum, vp& me) const {
    for (const everyday::tree_node<T>& node : sum.nodes()) {
      me.send(0, node_place{node.first, node.level});
      me.send(0, node.value);
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

  interval<> all_;
  std::size_t rank_;
  std::span<const E> block_;
  T init_;
  Op& op_;
  everyday::grouping groups_;
  std::optional<T> total_;
};

}  // namespace pleat::detail::distribution
