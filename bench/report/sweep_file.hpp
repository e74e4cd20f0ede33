// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/statistics.hpp"
#include "measure/verdict.hpp"
#include "sweep/sweep_case.hpp"

namespace pleat::bench {

/// Keys that set a case apart from others of its sweep.
struct case_keys {
  sweep_case at;        ///< empty texts and zeros where the file does not say them
  std::string library;  ///< "pleat" or a rival's name

  friend bool operator==(const case_keys&, const case_keys&) = default;
};

/// Case of a sweep, as its file has it.
struct measured_case {
  std::string name;  ///< run_name: no other case of the file has it
  case_keys keys;
  std::vector<double> samples;         ///< seconds, one for each repetition; empty if it failed
  std::optional<std::string> failure;  ///< why
  double median_s = 0;
  std::optional<interval> median_within;  ///< of the samples, at 95 %
  // Figures that the sweep computed.
  std::optional<double> speedup;
  std::optional<double> efficiency;
  std::optional<double> predicted_s;

  [[nodiscard]] bool measured() const { return !samples.empty(); }
};

/// Content of a file of `pleat sweep --json`.
struct sweep_file {
  std::string origin;     ///< the file's name, for messages
  std::string host_name;  ///< empty if it is not in the file
  std::string date;
  std::vector<measured_case> cases;  ///< in the order of the file
};

/// Throws: pleat::usage_error naming `origin` and what in the document is not as a sweep writes it.
[[nodiscard]] sweep_file sweep_from(const nlohmann::ordered_json& document,
                                    const std::string& origin);

/// Case that both sweeps measured.
struct compared_case {
  std::string name;
  case_keys keys;
  double before_s = 0;  ///< medians
  double after_s = 0;
  std::size_t before_samples = 0;
  std::size_t after_samples = 0;
  judgement judged;
};

/// Case that failed in one of the sweeps or in both.
struct failed_case {
  std::string name;
  std::string origin;  ///< the file in which it failed
  std::string message;
};

struct sweep_comparison {
  std::string before, after;  ///< the files
  verdict_settings settings;
  std::vector<compared_case> cases;  ///< in the order of the sweep after
  std::vector<std::string> only_before, only_after;
  std::vector<failed_case> failed;

  [[nodiscard]] std::size_t count(verdict what) const;
};

/// Tells whether there is a case of the same name in both, measured or not.
[[nodiscard]] bool share_cases(const sweep_file& one, const sweep_file& other);

/// Compares two sweeps case by case. Cases of the same name are compared.
///
/// Throws: pleat::usage_error if they have no measured case in common.
[[nodiscard]] sweep_comparison compare_sweeps(const sweep_file& before, const sweep_file& after,
                                              const verdict_settings& settings = {});

/// Returns one line for each reason to doubt the comparison, with advice.
[[nodiscard]] std::vector<std::string> doubts_about(const sweep_comparison& comparison,
                                                    const sweep_file& before,
                                                    const sweep_file& after);

/// Returns a table of all cases, then a line with the number of cases of each verdict, then the
/// cases that only one sweep has. The text fits the terminal of standard output.
[[nodiscard]] std::string comparison_text(const sweep_comparison& comparison);

/// {context{before, after, band, error}, cases[]{name, before_s, after_s, before_samples,
/// after_samples, ratio, ratio_low, ratio_high, p_different, p_same, verdict}, only_before[],
/// only_after[], failed[]{name, file, message}}
[[nodiscard]] nlohmann::ordered_json comparison_json(const sweep_comparison& comparison);

/// Comparison of a rival with Pleat in the same case.
struct rival_ratio {
  const measured_case* rival;
  const measured_case* ours;
  double ratio;                   ///< the rival's median over Pleat's: above 1 Pleat is faster
  std::optional<interval> range;  ///< 95 %, as ratio_of_times has it
};

/// All rivals of a sweep that were measured where Pleat was too, in the order of the file. The
/// pointers lead into the sweep.
[[nodiscard]] std::vector<rival_ratio> rival_ratios(const sweep_file& sweep);

/// Writes the sweep for a terminal. A series is the cases of Pleat that differ in n and processors
/// only; for each: a table of times, speed-up beside the ideal as bars for the largest n, and time
/// against n as bars on a logarithmic scale for the most processors. Then the rivals' times over
/// Pleat's, and the cases that failed.
[[nodiscard]] std::string scaling_text(const sweep_file& sweep);

}  // namespace pleat::bench
