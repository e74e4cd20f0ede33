// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "case_record.hpp"
#include "tool/terminal.hpp"
#include "visit_plan.hpp"

namespace pleat::bench {

/// Progress of a sweep: on a terminal one line that changes, elsewhere a line every ten seconds.
class sweep_progress {
 public:
  sweep_progress(std::size_t cases, const repetition_rule& rule);

  /// Updates the line; called after every round of a case, and when a visit begins.
  void update(std::span<const case_record> records, const case_record& at, const visit_plan& plan);

 private:
  const repetition_rule rule_;
  progress_bar bar_;
  std::chrono::steady_clock::time_point last_line_;
};

/// Upper bound of the seconds that the unfinished cases will take. Empty if the number of
/// repetitions is fixed and some case has no round yet.
[[nodiscard]] std::optional<double> seconds_left(std::span<const case_record> records,
                                                 const repetition_rule& rule,
                                                 const visit_plan& plan);

}  // namespace pleat::bench
