// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/routing.hpp>

namespace pleat {

struct evaluation_options {
  bool dummies = false;        ///< count vp::dummy messages too
  std::size_t processors = 0;  ///< see tracing::processors
  /// Supersteps to count: the program's, or those that the protocol makes of them.
  pleat::routing routing = pleat::routing::direct;
};

/// The costs of what the ascend-descend protocol makes of a run's supersteps, see routing.
/// `direct`: of that run, counted with tracing::messages. Cost: a run of the protocol. Throws:
/// usage_error if the messages were not kept; std::bad_alloc.
[[nodiscard]] PLEAT_API cost_trace routed(const cost_trace& direct);

namespace detail {
/// Throws: usage_error, where dummies are to be routed.
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
/// Short for a machine made with machine_options::trace, which is also how a library program that
/// takes a machine is counted.
///
/// Requires of the program that every VP performs the same sequence of labels, up to its end, and
/// sends nothing after its last sync if others go on.
/// Cost: that of a strict run on one processor, and some ns per message; 28 bytes per VP if v is a
/// power of two (else up to 36), and 16 per message of the supersteps under way.
/// Throws: usage_error, which names the first difference if the VPs' labels differ (the program has
/// come to its end then); and all that machine's constructor and run throw.
template <vp_program F>
[[nodiscard]] cost_trace evaluate(std::size_t v, F&& program, evaluation_options options = {}) {
  machine counting({.trace = detail::trace_for(options)});
  run_report report = counting.run(v, program);
  return options.routing == routing::direct ? *std::move(report.costs) : routed(*report.costs);
}

}  // namespace pleat
