// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat {

struct evaluation_options {
  bool dummies = false;        ///< count vp::dummy messages too
  std::size_t processors = 0;  ///< see tracing::processors
  /// What is counted: the program's supersteps, or those that the protocol makes of them.
  pleat::routing routing = pleat::routing::direct;
};

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
/// come to its end then); and all that machine::run throws.
template <vp_program F>
[[nodiscard]] cost_trace evaluate(std::size_t v, F&& program, evaluation_options options = {}) {
  machine counting(
      {.routing = options.routing,
       .trace = tracing{.dummies = options.dummies, .processors = options.processors}});
  run_report report = counting.run(v, program);
  return *std::move(report.costs);
}

}  // namespace pleat
