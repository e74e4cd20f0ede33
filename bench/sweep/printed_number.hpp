// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>

namespace pleat::bench {

/// Number that a command prints, found by a regular expression (ECMAScript's, without
/// back-references) with one group.
///
/// The expression is matched by the automaton in libstdc++ that works in polynomial time: its
/// recursion is as deep as the expression, whatever the length of the output.
class printed_number {
 public:
  /// Throws: pleat::usage_error for what is no such expression, or is longer than 1,000 characters.
  explicit printed_number(const std::string& pattern);

  /// Returns the number in the group of the last match: from 1e-50 to 1e50, so that sums, squares
  /// and ratios of samples are finite. Throws: pleat::error if nothing matches, or no such number.
  [[nodiscard]] double last_in(const std::string& output) const;

 private:
  std::string pattern_;
  std::regex expression_;
};

}  // namespace pleat::bench
