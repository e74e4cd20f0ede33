// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <bit>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>

namespace pleat::detail::everyday {

/// The inner or outer node of a binary tree over consecutive groups: 2^level groups from `first`
/// on, a multiple of 2^level, combined.
template <class T> struct tree_node {
  T value;
  std::size_t first;
  unsigned level;
};

/// Combines groups pairwise, as a binary tree over all of them does: siblings, and those only.
/// Whoever has a part of the groups is left with at most two nodes of each level; the nodes of all
/// parts, in order, become the tree. So the association does not depend on the parts. Rounding
/// errors of sums grow with the tree's depth, not with the number of elements.
template <class T, class Op> class pairwise {
 public:
  explicit pairwise(Op& op) : op_(&op) { nodes_.reserve(16); }

  /// Adds what comes next.
  void add(tree_node<T> node) {
    while (!nodes_.empty() && siblings(nodes_.back(), node)) {
      tree_node<T>& left = nodes_.back();
      node = {combined(std::move(left.value), std::move(node.value)), left.first, node.level + 1};
      nodes_.pop_back();
    }
    nodes_.push_back(std::move(node));
  }

  [[nodiscard]] std::vector<tree_node<T>>& nodes() noexcept { return nodes_; }

  /// init ∘ all of them: nodes without a sibling, at the ragged end, are combined from the last on.
  [[nodiscard]] T finish(T init) {
    if (nodes_.empty()) return init;
    T sum = std::move(nodes_.back().value);
    for (std::size_t i = nodes_.size() - 1; i-- > 0;)
      sum = combined(std::move(nodes_[i].value), std::move(sum));
    return combined(std::move(init), std::move(sum));
  }

 private:
  [[nodiscard]] static bool siblings(const tree_node<T>& a, const tree_node<T>& b) noexcept {
    return a.level == b.level && (a.first >> a.level) % 2 == 0 &&
           a.first + (std::size_t{1} << a.level) == b.first;
  }
  [[nodiscard]] T combined(T&& a, T&& b) const {
    return static_cast<T>(std::invoke(*op_, std::move(a), std::move(b)));
  }

  Op* op_;
  std::vector<tree_node<T>> nodes_;
};

}  // namespace pleat::detail::everyday

/// Nodes travel as their values do.
template <class T>
struct pleat::detail::copied_by_bytes<pleat::detail::everyday::tree_node<T>> : copied_by_bytes<T> {
};
