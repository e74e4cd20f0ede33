// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include <pleat/collectives/tree_scatter.hpp>
#include <pleat/runtime/error.hpp>

#include "tree_lengths.hpp"

namespace pleat {

processor_tree::processor_tree(std::vector<std::size_t> parents)
    : parents_(std::move(parents)), depths_(parents_.size(), 0) {
  if (parents_.empty()) throw usage_error("a tree of no processors: there must be a root");
  for (std::size_t i = 1; i < size(); ++i) {
    if (parents_[i] >= i) {
      throw usage_error("the parent of processor " + std::to_string(i) + " is " +
                        std::to_string(parents_[i]) + ": number every processor after its parent");
    }
    depths_[i] = depths_[parents_[i]] + 1;
  }
}

tree_dispatch scatter_on_tree(const processor_tree& tree, std::span<const std::size_t> lengths) {
  detail::require_lengths(tree.size(), lengths);
  tree_dispatch result;
  result.dispatch.assign(tree.size(), 0);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    if (lengths[i] > 0) result.order.push_back(i);
  }
  std::ranges::sort(result.order, [&](std::size_t a, std::size_t b) {
    return tree.depth(a) != tree.depth(b) ? tree.depth(a) > tree.depth(b) : a < b;
  });
  std::size_t sent = 0;
  for (const std::size_t i : result.order) {
    result.dispatch[i] = sent;
    sent += lengths[i];
    result.steps = std::max(result.steps, sent + tree.depth(i) - 1);
  }
  return result;
}

}  // namespace pleat
