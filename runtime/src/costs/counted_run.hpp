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

/// Counts of a run, of all its virtual processors or those of one process, and the reason if it has
/// no costs. A value.
struct PLEAT_API counted_run {
  /// A VP that performs another label in a superstep than the first one did.
  struct disagreement {
    std::size_t superstep;
    std::size_t rank;
    unsigned label;
  };
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  std::vector<superstep_degrees> supersteps;
  std::vector<std::uint32_t> first_ranks;    // [superstep]: who was the first to end it
  std::optional<disagreement> difference;    // of the earliest superstep
  std::size_t unfinished_superstep = never;  // the earliest in which a VP sent, then ended
  std::size_t unfinished_rank = 0;
  std::uint64_t messages = 0;
  std::size_t processors = 0;  // see cost_trace
  std::vector<std::vector<std::uint64_t>> between;

  /// Begins a run on M(v), with messages counted between that many processors, or 0.
  void start(std::size_t v, std::size_t between_processors);
  /// Adds a superstep that no VP has ended before, with its label.
  void begin_superstep(std::size_t rank, unsigned label, unsigned labels);
  void differ(std::size_t superstep, std::size_t rank, unsigned label);
  void ended_after_sending(std::size_t superstep, std::size_t rank);

  /// Adds what was counted of the same run by virtual processors of higher rank.
  void add(const counted_run& theirs);
  /// Throws usage_error if the run has no common sequence of supersteps.
  [[nodiscard]] cost_trace trace(std::size_t v) &&;

  void write(byte_writer& to) const;
  [[nodiscard]] static counted_run read(byte_reader& from);
};

}  // namespace pleat::detail
