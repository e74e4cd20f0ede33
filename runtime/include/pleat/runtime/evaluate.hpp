// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/routing.hpp>

namespace pleat {

struct evaluation_options {
  bool dummies = false;        ///< count vp::dummy messages too
  std::size_t processors = 0;  ///< see tracing::processors
  /// Supersteps to count: those of the program, or those of the routing protocol for them.
  pleat::routing routing = pleat::routing::direct;
  bool messages = false;  ///< keep every message, for folded(): see tracing::messages
};

/// Returns the costs of the supersteps of a run when the ascend-descend protocol routes its
/// messages, see routing. `direct`: the costs of the run, counted with tracing::messages. Cost: a
/// run of the protocol. Throws: usage_error if the messages were not kept; std::bad_alloc.
[[nodiscard]] PLEAT_API cost_trace routed(const cost_trace& direct);

/// Costs of a run on M(p, σ), for a p that need be no power of two.
struct folded_costs {
  std::size_t processors = 0;    ///< p
  std::uint64_t supersteps = 0;  ///< those whose barriers join several processors
  std::uint64_t degree = 0;      ///< the sum of their degrees
  /// H(p, σ), the communication complexity.
  [[nodiscard]] double H(double sigma) const noexcept {
    return static_cast<double>(degree) + static_cast<double>(supersteps) * sigma;
  }
};

/// Returns the costs of a run, counted with tracing::messages, whose virtual processors are folded
/// onto any number p ≤ v of processors as pleat::fold does. The degree of a superstep is the
/// largest number of messages that one processor sends to, or receives from, others; a superstep
/// counts if one of the clusters that it synchronises has virtual processors of several processors.
/// For p = 2^j and v = 2^L these are the numbers of cost_trace.
///
/// Cost: O(m log m + p log v) for m messages, and 24 bytes a message. Throws: usage_error if the
/// messages were not kept, if p = 0, or if p > v; std::bad_alloc.
[[nodiscard]] PLEAT_API folded_costs folded(const cost_trace& direct, std::size_t p);

/// Level of a machine: parts of `size` consecutive virtual processors each. Rank 0 is number
/// `place` of its part, so the first part may be shorter.
struct machine_level {
  std::size_t size = 1;
  std::size_t place = 0;

  [[nodiscard]] std::size_t part_of(std::size_t rank) const noexcept {
    return (rank + place) / size;
  }
};

/// Traffic between the parts of a level, and supersteps that cross it and none above it.
struct level_traffic {
  std::uint64_t sends = 0;       ///< of a value or a span from one part to another
  std::uint64_t messages = 0;    ///< in these
  std::uint64_t supersteps = 0;  ///< with a message across this level, and none across one above
  std::uint64_t degree = 0;      ///< the sum of their degrees, between parts of the last level
};

/// Returns the costs of a run, counted with tracing::messages, on a machine of levels, from the
/// outermost to that of the processors. With g and l of each level, Σ (degree · g + supersteps · l)
/// is the communication time on the D-BSP whose clusters are these parts.
///
/// Cost: O(m (log m + levels)) for m messages. Throws: usage_error if the messages were not kept,
/// if there is no level, or a place is not below its size; std::bad_alloc.
[[nodiscard]] PLEAT_API std::vector<level_traffic> traffic_of_levels(
    const cost_trace& direct, std::span<const machine_level> levels);

namespace detail {
/// Throws usage_error if the options ask for both dummies and routing.
[[nodiscard]] PLEAT_API tracing trace_for(const evaluation_options& options);
}  // namespace detail

/// Runs `program` once on M(v) and counts what it costs on every folding of M(v).
///
/// ```cpp
/// const pleat::cost_trace costs = pleat::evaluate(1024, [&](pleat::vp& me) {
///   return prefix(me, data[me.rank()]);
/// });
/// costs.H(4, 100.0);  // communication complexity on 16 processors with σ = 100
/// ```
///
/// It is a short form of a run on a machine with machine_options::trace. To count a library program
/// that takes a machine, use such a machine.
///
/// Requires that every VP performs the same sequence of labels up to its end, and sends nothing
/// after its last sync if other VPs continue. Rounds of collective operations belong to the
/// sequence: all VPs take part in as many, each in its segment. A pushed value is a message of its
/// superstep: the cluster of the sync that ends it must contain both VPs.
/// Cost: that of a strict run on one processor, and some ns per message. Memory: 28 bytes per VP if
/// v is a power of two (else up to 36), and 16 per message of the current supersteps and of all
/// rounds.
/// Throws: usage_error if the labels of the VPs differ; it names the first difference, and is
/// thrown after the end of the program. Throws also what machine's constructor and run throw.
template <vp_program F>
[[nodiscard]] cost_trace evaluate(std::size_t v, F&& program, evaluation_options options = {}) {
  machine counting({.trace = detail::trace_for(options)});
  run_report report = counting.run(v, program);
  return options.routing == routing::direct ? *std::move(report.costs) : routed(*report.costs);
}

}  // namespace pleat
