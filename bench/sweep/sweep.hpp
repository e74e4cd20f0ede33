// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "case_record.hpp"
#include "journal.hpp"
#include "swept_command.hpp"
#include "visit_plan.hpp"

namespace pleat::bench {

struct sweep_settings {
  repetition_rule rule;
  double seconds = 0.01;  ///< that a sample lasts at least
  /// The programs that pleat-rivals measures, samples of all libraries in turns, each with the
  /// rivals that take part; empty: those that usually do.
  std::map<std::string, std::vector<std::string>> rivals;
  swept_command command;  ///< what is measured instead of programs, if there is one
  std::uint64_t seed = 1;
  double rank_patience = 300;  ///< seconds: ranks that say nothing for so long are ended
};

/// Measures the cases that are not done yet, each visit in a process of its own: what one case does
/// to memory, threads or the process is not seen by the next, and a case that ends its process ends
/// nothing else.
///
/// What happens goes to the journal first, if there is one. A case that fails has its reason in its
/// record; the others go on.
///
/// Returns: the signal (SIGINT, SIGTERM, SIGHUP) that interrupted it, else 0. The records hold what
/// was measured before.
/// Throws: pleat::error if the journal cannot be written or no process can be started.
[[nodiscard]] int run_sweep(std::vector<case_record>& records, const sweep_settings& settings,
                            journal* kept);

}  // namespace pleat::bench
