// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "case_record.hpp"
#include "measure/median_interval.hpp"
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
  std::optional<double> predicted = {};  ///< seconds of an operation, by D-BSP; of Pleat alone
  std::optional<double> ratio = {};      ///< rivals: median over Pleat's, above 1 Pleat is faster
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

}  // namespace pleat::bench
