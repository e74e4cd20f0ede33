// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/placement.hpp>

#include "measure/child_process.hpp"
#include "tool/machine_arguments.hpp"

namespace pleat::bench {

// pleat-rivals, the program that measures beside other people's libraries, as its starters see it.

/// Result of starting it: what it says to people goes to our standard error, what it finds is here.
struct rivals_answer {
  int exit_code = 0;
  nlohmann::ordered_json document;  ///< null if it printed none
};

[[nodiscard]] rivals_answer answer_of_rivals(const std::vector<std::string>& arguments,
                                             const environment_changes& environment = {});

/// The document it must print. Throws: finished if it failed, having said why; pleat::error if it
/// printed nothing.
[[nodiscard]] nlohmann::ordered_json ask_rivals(const std::vector<std::string>& arguments);

/// The names of the things in one of its lists, "a, b, c".
[[nodiscard]] std::string names_in(const nlohmann::ordered_json& list);

/// The words between commas, of which the last may be missing.
[[nodiscard]] std::vector<std::string> listed(std::string_view list);

/// Throws: pleat::usage_error for one that is not among the `known` rivals, with those that take
/// part in the benchmarks that were chosen.
void check_rivals(const nlohmann::ordered_json& known, const std::vector<std::string>& names,
                  std::span<const nlohmann::ordered_json> benchmarks);

/// Options of `pleat compare` that it hands on to pleat-rivals as they were written; empty: not
/// given.
struct compare_options {
  std::string n, type, shape, distribution, repetitions, rivals, operations, seed;
  machine_arguments machine;
  memory_arguments memory;

  void add_to(tool_command& command);
  /// Words that add_to reads back.
  [[nodiscard]] std::vector<std::string> words() const;
};

/// Gives OpenMP runtimes, which read their threads' places and how to wait from the environment,
/// once, the processors our own workers get. `spins`: with active waiting, as barriers are measured
/// with.
[[nodiscard]] environment_changes openmp_environment(const placement& placed, bool spins);

/// Text that `pleat compare` prints of the entries of one benchmark (an array of the `comparisons`
/// of its JSON): a heading and a table per measure, ours first, ratios > 1 where ours is faster.
/// Missing rivals are named with the package that brings them. Candidates whose samples differ too
/// much for a ratio (summary::unsteady) are named with what to do.
[[nodiscard]] std::string comparison_text(const nlohmann::ordered_json& comparisons);

}  // namespace pleat::bench
