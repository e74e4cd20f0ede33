// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/topology.hpp>

namespace pleat {

/// One cluster of a machine of p processors: [first, first + size).
struct cluster {
  unsigned level = 0;     ///< 0 for all processors, L = max(1, ⌈log2 p⌉) for a single one
  std::size_t index = 0;  ///< its place in its level
  std::size_t first = 0;
  std::size_t size = 0;
  std::string object;     ///< the deepest hardware object that has all of its PUs, "L3 L#2"
  std::size_t place = 0;  ///< that object in topology::objects()
};

/// The nested clusters of placed processors: the hardware, halved again and again. They show which
/// part of the hardware each barrier spans.
///
/// A cluster of level i is divided between two neighbouring ranks whose common object is the
/// highest, so that packages are divided last; of such places, the nearest to its middle is chosen.
/// A half has at most 2^(L − i − 1) processors, so that L levels suffice. A single processor is its
/// own half. Within this limit, clusters of a compact placement do not straddle packages, NUMA
/// nodes, caches or cores: 2 packages of 6 cores are 6 + 6, then 3 + 3; 3 packages of 4 are 8 + 4,
/// then 4 + 4. A cluster that crosses the border of an object belongs to the object above.
///
/// The clusters of *virtual* processors are given by the bits of their ranks, whatever the
/// hardware. In M(v), v ≥ p a power of two, sync(i) joins for some c the processors from ⌊c·p/2^i⌋
/// to ⌈(c + 1)·p/2^i⌉ − 1 at most, each with an equal part of the VPs. These are the processors of
/// a cluster of level i if all clusters above it are divided into equal halves: always if p is a
/// power of two, in packages of 6 cores down to the halves of a package. Further down a processor
/// may have VPs of two clusters, and belongs to both barriers. In M(p), p no power of two, clusters
/// of 2^(L − i) processors may straddle packages: prefer a power of two of VPs, as the library's
/// recursive programs do.
///
/// Immutable and thread-safe. Cost to build: O(p · (L + depth of the hardware tree)).
class PLEAT_API cluster_tree {
 public:
  /// Requires: `placed` was made from `machine` and is not empty. Throws: std::bad_alloc.
  cluster_tree(const topology& machine, const placement& placed);

  [[nodiscard]] std::size_t processors() const noexcept { return leaf_.size(); }

  /// L = max(1, ⌈log2 p⌉): clusters have levels 0 … L.
  [[nodiscard]] unsigned labels() const noexcept { return labels_; }

  /// All clusters, level by level, in rank order within a level.
  [[nodiscard]] std::span<const cluster> clusters() const noexcept { return clusters_; }

  /// Clusters of one level, 0 … L.
  [[nodiscard]] std::span<const cluster> level(unsigned i) const;

  /// Cluster of level i that contains processor `rank`. Requires i <= L, rank < p. Cost: O(log p).
  [[nodiscard]] const cluster& cluster_of(unsigned i, std::size_t rank) const;

  /// The two halves of a cluster; one if it is a single processor. Requires level < L.
  /// Cost: O(log p).
  [[nodiscard]] std::span<const cluster> halves(const cluster& whole) const;

  /// The deepest hardware object that has all of these processors. Requires: at least one.
  /// Cost: O(their number).
  [[nodiscard]] const topology_object& object_of(rank_range processors) const;

  /// Distance of two processors: the height of the deepest hardware object that holds both, in
  /// levels that branch. 0 on the same PU. Two processors inside an object are never farther apart
  /// than one inside and one outside. Cost: O(depth).
  [[nodiscard]] unsigned distance(std::size_t a, std::size_t b) const;

  /// The deepest hardware object that holds both, whose height distance() returns. Cost: O(depth).
  [[nodiscard]] const topology_object& common_object(std::size_t a, std::size_t b) const;

 private:
  topology machine_;
  [[nodiscard]] std::size_t left_half(const cluster& whole) const;
  [[nodiscard]] unsigned depth_between(std::size_t rank) const;
  void add(unsigned level, std::size_t first, std::size_t size);

  std::vector<std::size_t> leaf_;         // leaf of each processor, in topology::objects()
  std::vector<std::size_t> joint_;        // [r]: the deepest object that holds r − 1 and r
  std::vector<cluster> clusters_;         // level by level
  std::vector<std::size_t> level_start_;  // first place of each level in clusters_, and the end
  unsigned labels_ = 1;
};

}  // namespace pleat
