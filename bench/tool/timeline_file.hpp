// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/runtime/run_report.hpp>

namespace pleat::bench {

/// What each processor did when, in JSON: trace events that Perfetto (ui.perfetto.dev) and Chrome's
/// about:tracing show: a row for each processor; waiting at a barrier, communication, and what is
/// between them, computation. Times in microseconds.
///
/// Requires: the report of a machine that keeps a timeline.
/// Source of the format: "Trace Event Format", complete events (ph = X) and metadata (ph = M).
[[nodiscard]] std::string timeline_json(const run_report& report, const std::string& program);

}  // namespace pleat::bench
