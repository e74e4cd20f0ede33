// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sweep_result.hpp"

namespace pleat::bench {

// The forms a sweep is given out in.

/// Google Benchmark's report, which its compare.py reads: an entry for each sample and, of each
/// library in each case, the aggregates mean, median, stddev and cv; an entry with an error for
/// each case that failed. Every entry has the keys of its case (case_json) and `library`. `context`
/// becomes `context.pleat`, with what the times of each program are of and what rates count, as
/// `operations`.
[[nodiscard]] nlohmann::ordered_json google_benchmark_report(std::span<const sweep_result> results,
                                                             const nlohmann::ordered_json& context);

/// Returns a table to be read by people, with the reasons of failed cases below it.
[[nodiscard]] std::string sweep_text(std::span<const sweep_result> results);

/// Makes a table of the same columns in Markdown.
[[nodiscard]] std::string sweep_markdown(std::span<const sweep_result> results);

/// Returns CSV (RFC 4180) with a line for each library in each case; times are in seconds.
[[nodiscard]] std::string sweep_csv(std::span<const sweep_result> results);

/// Input for Extra-P, in its JSON Lines format: the parameters p (processors) and n, one call path
/// for each library and all else that makes cases differ, the samples in seconds.
[[nodiscard]] std::string sweep_extra_p(std::span<const sweep_result> results);

}  // namespace pleat::bench
