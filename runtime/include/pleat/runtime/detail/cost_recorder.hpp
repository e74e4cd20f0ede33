// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/detail/pages.hpp>
#include <pleat/runtime/fold.hpp>

namespace pleat::detail {

/// Counts the messages of a run, superstep by superstep, for all foldings at once.
///
/// A VP's supersteps are numbered by its syncs, and superstep s is the same for all VPs. Clusters
/// run depth-first, so one may be many supersteps ahead of another, and has perhaps sent to it
/// what the other will only receive much later. So messages are first logged, and counted when the
/// barrier that ends their superstep is passed.
///
/// Invariant: the log holds, for every VP that has not ended, its messages since the last barrier
/// it passed. The VPs of a cluster run one after the other, and nobody else in between, so the
/// messages of the superstep a cluster completes are the last ones in the log.
///
/// The counting: all VPs of the cluster are the leaves of a binary tree. A message leaves the
/// source and enters the destination, and is inside every node from their lowest common ancestor
/// upwards. So what leaves and enters a node is the sum of its children's, less what has this node
/// as its lowest common ancestor: O(1) per message, O(w) per superstep of a cluster of w VPs.
///
/// Thread safety: none; a run that counts has one worker.
class PLEAT_API cost_recorder {
 public:
  /// `processors`: see tracing.
  explicit cost_recorder(bool dummies, std::size_t processors = 0) noexcept
      : dummies_(dummies), processors_(processors) {}

  [[nodiscard]] bool counts_dummies() const noexcept { return dummies_; }

  /// A run on M(v) begins.
  void start(std::size_t v);
  void message(std::size_t source, std::size_t destination, std::uint64_t count) {
    if (source == destination || count == 0) return;
    if (!log_.empty() && log_.back().source == source && log_.back().destination == destination) {
      log_.back().count += count;
      return;
    }
    log_.push_back(
        {static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(destination), count});
  }
  [[nodiscard]] bool holds_messages() const noexcept { return !log_.empty(); }
  /// VP `rank` has come to sync(label).
  void sync(std::size_t rank, unsigned label) {
    const std::uint32_t superstep = supersteps_done_[rank]++;
    if (superstep == supersteps_.size()) return begin_superstep(rank, label);
    if (supersteps_[superstep].label != label) [[unlikely]]
      differ(superstep, rank, label);
  }
  /// The VPs of a label-cluster that have not ended have all come to their sync(label).
  /// Requires that its messages stay inside it.
  void completed(rank_range cluster, unsigned label);
  /// VP `rank` has ended: what it has sent since its last sync belongs to no superstep.
  void ended(std::size_t rank);
  /// The run is over. Throws usage_error if it has no common sequence of supersteps.
  [[nodiscard]] cost_trace finish();
  void release_memory() noexcept;

 private:
  struct entry {
    std::uint32_t source, destination;
    std::uint64_t count;
  };
  static_assert(sizeof(entry) == 16);
  struct traffic {
    std::uint64_t out, in;
  };
  struct difference {
    std::size_t superstep;
    std::size_t rank;
    unsigned label;
  };

  void begin_superstep(std::size_t rank, unsigned label);
  void differ(std::size_t superstep, std::size_t rank, unsigned label);
  /// Counts the log's messages from `cluster` into `traffic_` and `inside_`, and forgets them.
  void take_from_log(rank_range cluster, unsigned label, superstep_degrees& superstep);
  void raise_degrees(rank_range cluster, unsigned label, superstep_degrees& superstep);

  bool dummies_;
  std::size_t processors_;
  std::optional<fold> folding_;                      // onto processors_, or v if that is less
  std::vector<std::vector<std::uint64_t>> between_;  // see cost_trace
  std::size_t v_ = 0;
  unsigned labels_ = 1;
  std::uint64_t messages_ = 0;
  std::vector<entry> log_;
  std::vector<std::uint32_t> supersteps_done_;  // [rank]
  std::vector<superstep_degrees> supersteps_;
  std::vector<std::uint32_t> first_ranks_;  // [superstep]: who was the first to end it
  std::optional<difference> difference_;    // of the earliest superstep
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::size_t unfinished_superstep_ = never;  // the earliest in which a VP sent, then ended
  std::size_t unfinished_rank_ = 0;

  // All zero between calls, but inside_[1], which is the cluster itself and never read. Ranks and
  // nodes of the cluster being counted, from 0:
  page_array<traffic> traffic_;       // [node of one level]: to and from others
  page_array<std::uint64_t> inside_;  // [node]: 1 the root, 2k and 2k + 1 the children of k
};

}  // namespace pleat::detail
