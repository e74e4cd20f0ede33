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

  std::vector<superstep_degrees> supersteps;
  std::vector<std::uint32_t> first_ranks;    // [superstep]: rank of the first VP to end it
  std::optional<disagreement> difference;    // in the earliest superstep that has one
  std::size_t unfinished_superstep = never;  // the earliest in which a VP sent and then ended
  std::size_t unfinished_rank = 0;
  std::uint64_t messages = 0;
  std::size_t processors = 0;  // see cost_trace
  std::vector<std::vector<std::uint64_t>> between;

  /// Begins a run on M(v), and counts messages between that many processors; 0: does not.
  void start(std::size_t v, std::size_t between_processors);
  /// Adds a superstep that no VP has ended before, with its label.
  void begin_superstep(std::size_t rank, unsigned label, unsigned labels);
  void differ(std::size_t superstep, std::size_t rank, unsigned label);
  void ended_after_sending(std::size_t superstep, std::size_t rank);

  /// Adds the counts of the same run of virtual processors of higher rank.
  void add(const counted_run& theirs);
  /// Throws usage_error if the run has no common sequence of supersteps.
  [[nodiscard]] cost_trace trace(std::size_t v) &&;

  void write(byte_writer& to) const;
  [[nodiscard]] static counted_run read(byte_reader& from);
};

}  // namespace pleat::detail
