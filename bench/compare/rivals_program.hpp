// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/child_process.hpp"

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

/// The words between commas.
[[nodiscard]] std::vector<std::string> listed(std::string_view list);

/// Throws: pleat::usage_error for one that is not among the `known` rivals, with those that take
/// part in the benchmarks that were chosen.
void check_rivals(const nlohmann::ordered_json& known, const std::vector<std::string>& names,
                  std::span<const nlohmann::ordered_json> benchmarks);

}  // namespace pleat::bench
