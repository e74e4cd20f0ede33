// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/fold.hpp>

#include "costs/counted_run.hpp"
#include "memory/pages.hpp"

namespace pleat::detail {

/// Computes degrees from messages, for all foldings at once.
///
/// All VPs of the cluster are the leaves of a binary tree. A message leaves the source and enters
/// the destination, and is inside every node from their lowest common ancestor upwards. So the
/// messages that leave or enter a node are the sum of its children's, less those whose lowest
/// common ancestor is this node: O(1) per message, O(w) per superstep of a cluster of w VPs.
///
/// Thread safety: none.
class degree_counter {
 public:
  /// Begins a run on M(v). `processors`: see tracing.
  void start(std::size_t v, std::size_t processors);
  /// Counts all messages of a superstep of that cluster, which ends with sync(label): adds them to
  /// the superstep's counts of other clusters, and to the run's sums. Requires that the messages
  /// stay inside the cluster.
  void count(std::span<const counted_messages> messages, rank_range cluster, unsigned label,
             superstep_degrees& superstep, counted_run& run);
  /// Number of processors between which the run's messages are counted, 0 if they are not.
  [[nodiscard]] std::size_t processors() const noexcept {
    return folding_ ? folding_->processors() : 0;
  }
  void release_memory() noexcept;

 private:
  struct traffic {
    std::uint64_t out, in;
  };

  void add(std::span<const counted_messages> messages, rank_range cluster, unsigned label,
           superstep_degrees& superstep);
  void add_between(std::span<const counted_messages> messages, std::vector<std::uint64_t>& square);
  void raise_degrees(rank_range cluster, unsigned label, superstep_degrees& superstep);

  unsigned labels_ = 1;
  std::optional<fold> folding_;  // onto the processors between which messages are counted
  // All zero between calls, except inside_[1], which stands for the cluster itself and is never
  // read. Indices are ranks and nodes of the cluster being counted, from 0:
  page_array<traffic> traffic_;       // [node of one level]: messages to and from other nodes
  page_array<std::uint64_t> inside_;  // [node]: 1 the root, 2k and 2k + 1 the children of k
};

}  // namespace pleat::detail
