// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>

#include "base/byte_stream.hpp"

namespace pleat::detail {

/// Number of messages from one virtual processor to another.
struct counted_messages {
  std::uint32_t source, destination;
  std::uint64_t count;
};
static_assert(sizeof(counted_messages) == 16);

/// Counts of a run, of all virtual processors or of those of one process; or the reason why it has
/// no costs. A value type.
struct counted_run {
  /// A VP whose label of a superstep differs from that of the first VP.
  struct disagreement {
    std::size_t superstep;
    std::size_t rank;
    unsigned label;
  };
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  /// In place of the label of a superstep that is a round of a collective operation, until trace:
  /// the label depends on all messages of the round.
  static constexpr unsigned round = std::numeric_limits<unsigned>::max();

  std::vector<superstep_degrees> supersteps;
  std::vector<std::uint32_t> first_ranks;    // [superstep]: rank of the first VP to end it
  std::optional<disagreement> difference;    // in the earliest superstep that has one
  std::size_t unfinished_superstep = never;  // the earliest in which a VP sent and then ended
  std::size_t unfinished_rank = 0;
  std::size_t last_pusher = never;  // a VP that pushed and then ended without a sync
  std::uint64_t messages = 0;
  std::uint64_t streamed = 0;  // those among them that were pushed
  // [superstep]: messages of a round; empty for other supersteps, and behind the last round
  std::vector<std::vector<counted_messages>> rounds;
  std::size_t processors = 0;  // see cost_trace
  std::vector<std::vector<std::uint64_t>> between;

  /// Begins a run on M(v), and counts messages between that many processors; 0: does not.
  void start(std::size_t v, std::size_t between_processors);
  /// Adds a superstep that no VP has ended before, with its label.
  void begin_superstep(std::size_t rank, unsigned label, unsigned labels);
  void differ(std::size_t superstep, std::size_t rank, unsigned label);
  void ended_after_sending(std::size_t superstep, std::size_t rank);
  /// Logs a message of a round. 0 messages of the model only join the two VPs.
  void add_to_round(std::size_t superstep, const counted_messages& one);

  /// Adds the counts of the same run of virtual processors of higher rank.
  void add(const counted_run& theirs);
  /// Throws usage_error if the run has no common sequence of supersteps.
  [[nodiscard]] cost_trace trace(std::size_t v) &&;

  void write(byte_writer& to) const;
  [[nodiscard]] static counted_run read(byte_reader& from);

 private:
  /// Gives rounds their labels, and counts their messages.
  void count_rounds(std::size_t v);
};

}  // namespace pleat::detail
