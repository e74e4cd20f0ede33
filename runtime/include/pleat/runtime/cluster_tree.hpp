// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat {

/// One i-cluster of M(p): the processors [first, first + size), whose L-bit indices have `index` as
/// their `level` leading bits, where L = max(1, ⌈log2 p⌉).
struct cluster {
  unsigned level = 0;  ///< i, the label of its barrier; L for a single processor
  std::size_t index = 0;
  std::size_t first = 0;
  std::size_t size = 0;
  std::string object;     ///< the deepest hardware object that has all of its PUs, "L3 L#2"
  std::size_t place = 0;  ///< that object in topology::objects()
};

/// The nested clusters of M(p) over placed processors. They show which part of the hardware each
/// barrier spans.
///
/// If p is no power of two, the last cluster of a level is shorter, and empty clusters are left
/// out. Clusters of a compact placement coincide with packages, NUMA nodes and caches if the
/// numbers of these are powers of two. A cluster that crosses the border of an object belongs to
/// the object above.
///
/// Immutable and thread-safe. Cost to build: O(p · depth of the hardware tree).
class PLEAT_API cluster_tree {
 public:
  /// Requires: `placed` was made from `machine` and is not empty. Throws: std::bad_alloc.
  cluster_tree(const topology& machine, const placement& placed);

  [[nodiscard]] std::size_t processors() const noexcept { return leaf_.size(); }

  /// L = max(1, ⌈log2 p⌉): sync takes the labels 0 … L − 1, clusters have levels 0 … L.
  [[nodiscard]] unsigned labels() const noexcept { return labels_; }

  /// All clusters, level by level, in rank order within a level.
  [[nodiscard]] std::span<const cluster> clusters() const noexcept { return clusters_; }

  /// Clusters of one level, 0 … L.
  [[nodiscard]] std::span<const cluster> level(unsigned i) const;

  /// The i-cluster of a processor. Requires i <= L, rank < p. Cost: O(1).
  [[nodiscard]] const cluster& cluster_of(unsigned i, std::size_t rank) const;

  /// Distance of two processors: the height of the deepest hardware object that holds both, in
  /// levels that branch. 0 on the same PU. Two processors inside an object are never farther apart
  /// than one inside and one outside. Cost: O(depth).
  [[nodiscard]] unsigned distance(std::size_t a, std::size_t b) const;

  /// The deepest hardware object that holds both, whose height distance() returns. Cost: O(depth).
  [[nodiscard]] const topology_object& common_object(std::size_t a, std::size_t b) const;

 private:
  topology machine_;
  std::vector<std::size_t> leaf_;         // leaf of each processor, in topology::objects()
  std::vector<cluster> clusters_;         // level by level
  std::vector<std::size_t> level_start_;  // first place of each level in clusters_, and the end
  unsigned labels_ = 1;
};

}  // namespace pleat
