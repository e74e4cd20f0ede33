// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/run_report.hpp>

#include "measure/array_pages.hpp"

namespace pleat::bench {

/// Makes JSON of what each processor did when: trace events that Perfetto (ui.perfetto.dev) and
/// Chrome's about:tracing show: a row for each processor; waiting at a barrier, communication, and
/// what is between them, computation. Times in microseconds. `otherData` has the memory policy, the
/// size of pages, and where the `pages` of the result are.
///
/// Requires: the report of a machine that keeps a timeline.
/// Source of the format: "Trace Event Format", complete events (ph = X) and metadata (ph = M).
[[nodiscard]] std::string timeline_json(const run_report& report, const std::string& program,
                                        const memory_policy& memory,
                                        const std::optional<array_pages>& pages);

}  // namespace pleat::bench
