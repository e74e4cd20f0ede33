// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include <pleat/runtime/cluster_tree.hpp>

namespace pleat {

cluster_tree::cluster_tree(const topology& machine, const placement& placed) : machine_(machine) {
  const std::size_t p = placed.processors.size();
  assert(p > 0);
  for (const processor& at : placed.processors) {
    const auto unit = machine_.find_pu(at.pu);
    assert(unit && "the placement was made from another topology");
    const std::size_t leaf = machine_.units()[*unit].object;
    joint_.push_back(machine_.common_object(leaf_.empty() ? leaf : leaf_.back(), leaf));
    leaf_.push_back(leaf);
  }
  labels_ = label_count(p);

  level_start_ = {0};
  add(0, 0, p);
  for (unsigned level = 1; level <= labels_; ++level) {
    const std::size_t above = level_start_.back(), first = clusters_.size();
    level_start_.push_back(first);
    for (std::size_t at = above; at < first; ++at) {
      const std::size_t begin = clusters_[at].first, size = clusters_[at].size;
      const std::size_t left = left_half(clusters_[at]);
      add(level, begin, left);
      if (left < size) add(level, begin + left, size - left);
    }
  }
  level_start_.push_back(clusters_.size());
}

void cluster_tree::add(unsigned level, std::size_t first, std::size_t size) {
  const topology_object& object = object_of({first, first + size});
  clusters_.push_back({level, clusters_.size() - level_start_.back(), first, size, object.name,
                       static_cast<std::size_t>(&object - machine_.objects().data())});
}

/// Returns the number of processors in the left half of a cluster.
std::size_t cluster_tree::left_half(const cluster& whole) const {
  if (whole.size == 1) return 1;
  const std::size_t most = std::size_t{1} << (labels_ - whole.level - 1);  // in a half
  const auto cost = [&](std::size_t left) {
    return std::pair(depth_between(whole.first + left), std::max(left, whole.size - left));
  };
  std::size_t best = std::min(most, whole.size - 1);
  for (std::size_t left = best - 1; left > 0 && whole.size - left <= most; --left)
    if (cost(left) < cost(best)) best = left;
  return best;
}

unsigned cluster_tree::depth_between(std::size_t rank) const {
  return machine_.objects()[joint_[rank]].depth;
}

const topology_object& cluster_tree::object_of(rank_range processors) const {
  assert(!processors.empty() && processors.last <= leaf_.size());
  // The common object of all is the highest one of two neighbours.
  const topology_object* object = &machine_.objects()[leaf_[processors.first]];
  for (std::size_t rank = processors.first + 1; rank < processors.last; ++rank)
    if (depth_between(rank) < object->depth) object = &machine_.objects()[joint_[rank]];
  return *object;
}

std::span<const cluster> cluster_tree::level(unsigned i) const {
  assert(i <= labels_);
  return clusters().subspan(level_start_[i], level_start_[i + 1] - level_start_[i]);
}

const cluster& cluster_tree::cluster_of(unsigned i, std::size_t rank) const {
  assert(rank < processors());
  return *std::ranges::prev(
      std::ranges::upper_bound(level(i), rank, std::ranges::less{}, &cluster::first));
}

std::span<const cluster> cluster_tree::halves(const cluster& whole) const {
  assert(whole.level < labels_);
  const cluster& left = cluster_of(whole.level + 1, whole.first);
  return {&left, left.size == whole.size ? 1u : 2u};
}

const topology_object& cluster_tree::common_object(std::size_t a, std::size_t b) const {
  assert(a < processors() && b < processors());
  return machine_.objects()[machine_.common_object(leaf_[a], leaf_[b])];
}

unsigned cluster_tree::distance(std::size_t a, std::size_t b) const {
  return common_object(a, b).height;
}

}  // namespace pleat
