// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/verdict.hpp"
#include "sweep_file.hpp"

namespace pleat::bench {

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

}  // namespace pleat::bench
