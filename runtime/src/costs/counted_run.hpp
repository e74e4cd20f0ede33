// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/fold.hpp>

#include "base/byte_stream.hpp"
#include "memory/pages.hpp"

namespace pleat::detail {

/// The messages of a counted run, one by one; input of the router.
struct message_log {
  struct message {
    std::uint32_t source, destination;
    std::uint32_t superstep;
    std::uint64_t weight;  // number of messages of the model
  };

  std::vector<message> messages;          // sorted by source, then in the order of sending
  std::vector<std::size_t> first;         // [rank]: index of its first message; then the end
  std::vector<std::uint32_t> supersteps;  // [rank]: number of supersteps that it ended with a sync

  [[nodiscard]] std::span<const message> of(std::size_t rank) const noexcept {
    return {messages.data() + first[rank], messages.data() + first[rank + 1]};
  }
};

/// Number of messages from one virtual processor to another.
struct counted_messages {
  std::uint32_t source, destination;
  std::uint64_t count;
};
static_assert(sizeof(counted_messages) == 16);

/// Counts of a run, for all virtual processors or for those of one process. Holds the reason if the
/// run has no costs. A value type.
struct counted_run {
  /// A VP whose label of a superstep differs from that of the first VP.
  struct disagreement {
    std::size_t superstep;
    std::size_t rank;
    unsigned label;
  };
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  /// Provisional label of a superstep that is a round of a collective operation. `trace` replaces
  /// it, as the label depends on all messages of the round.
  static constexpr unsigned round = std::numeric_limits<unsigned>::max();

  std::vector<superstep_degrees> supersteps;
  std::vector<std::uint32_t> first_ranks;    // [superstep]: rank of the first VP to end it
  std::optional<disagreement> difference;    // in the earliest superstep that has one
  std::size_t unfinished_superstep = never;  // the earliest in which a VP sent, then ended
  std::size_t unfinished_rank = 0;
  std::size_t last_pusher = never;  // a VP that pushed and then ended without a sync
  std::uint64_t messages = 0;
  std::uint64_t streamed = 0;  // those among them that were pushed
  // [superstep]: messages of a round; empty for other supersteps. Ends at the last logged round.
  std::vector<std::vector<counted_messages>> rounds;
  std::size_t processors = 0;  // see cost_trace
  std::vector<std::vector<std::uint64_t>> between;

  /// Begins a run on M(v). Messages between `between_processors` processors are counted if not 0.
  void start(std::size_t v, std::size_t between_processors);
  /// Adds a superstep that no VP has ended before, with its label.
  void begin_superstep(std::size_t rank, unsigned label, unsigned labels);
  void differ(std::size_t superstep, std::size_t rank, unsigned label);
  void ended_after_sending(std::size_t superstep, std::size_t rank);
  /// Logs messages of a round. A count of 0 only widens its cluster to contain both VPs.
  void add_to_round(std::size_t superstep, const counted_messages& one);

  /// Adds the counts of the same run that belong to virtual processors of higher rank.
  void add(const counted_run& theirs);
  /// Throws usage_error if labels differ between VPs, or one ends after sending or pushing.
  [[nodiscard]] cost_trace trace(std::size_t v) &&;

  void write(byte_writer& to) const;
  [[nodiscard]] static counted_run read(byte_reader& from);

 private:
  /// Gives rounds their labels, and counts their messages.
  void count_rounds(std::size_t v);
};

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
  /// Counts all messages of a cluster in a superstep that ends with sync(label). Updates the
  /// degrees of `superstep`, to which other clusters contribute too, and the sums of `run`.
  /// Requires that the messages stay inside the cluster.
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
  // Tables of the cluster being counted; ranks and nodes of a level count from its first. All zero
  // between calls, except inside_[1], which stands for the cluster itself and is never read:
  page_array<traffic> traffic_;       // [node of one level]: messages to and from other nodes
  page_array<std::uint64_t> inside_;  // [node]: 1 the root, 2k and 2k + 1 the children of k
};

}  // namespace pleat::detail
