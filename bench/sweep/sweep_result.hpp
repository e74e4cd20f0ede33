// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "case_record.hpp"
#include "measure/statistics.hpp"
#include "visit_plan.hpp"

namespace pleat::bench {

/// Result of one case for one library. Speed-up compares rates (operations in a second), so that it
/// is the usual one where the size stays the same, and the scaled one where it grows with the
/// processors.
struct library_result {
  std::string library;  ///< "pleat" or a rival
  std::vector<sample> samples;
  summary seconds;                             ///< of an operation
  std::optional<interval> median_within = {};  ///< at 95 %
  std::optional<double> speedup = {};          ///< of the library over itself on one processor
  std::optional<double> efficiency = {};       ///< speedup over processors
  std::optional<double> predicted = {};   ///< seconds of an operation, by D-BSP; of Pleat alone
  std::optional<double> contention = {};  ///< in it: contention.hpp; none between ranks
  std::optional<double> ratio = {};       ///< rivals: median over Pleat's, above 1 Pleat is faster
};

struct sweep_result {
  sweep_case at;
  std::vector<library_result> libraries;  ///< none if it failed at once
  stop stopped = stop::not_yet;           ///< not_yet: the sweep was interrupted
  std::optional<std::string> failure = {};
  std::vector<std::pair<std::string, std::string>> missing = {};  ///< rivals, and why
  nlohmann::ordered_json memory_pages = {};
  nlohmann::ordered_json ran = {};  ///< null but for a command
};

/// Lists results in the order of the records; cases of which nothing is known are left out. Probes
/// the processors the predictions are for, announced on standard error.
[[nodiscard]] std::vector<sweep_result> results_of(std::span<const case_record> records,
                                                   const repetition_rule& rule);

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
