// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "case_request.hpp"
#include "sweep_case.hpp"

namespace pleat::bench {

/// Command of somebody's own that is swept, as it was written. In all of its words `{processors}`,
/// `{pus}`, `{place}`, `{memory}`, `{pages}`, `{n}` and the names of its axes stand for what they
/// are in a case; `{{` and `}}` are braces.
struct swept_command {
  std::optional<std::vector<std::string>> words;
  std::optional<std::string> name;                ///< in the results; the program's, if none
  std::optional<std::vector<std::string>> axis;   ///< tile=16,32
  std::optional<std::vector<std::string>> env;    ///< OMP_NUM_THREADS={processors}
  std::optional<std::vector<std::string>> rival;  ///< other=./other -p {processors}
  /// Measure: elapsed, cpu, memory, or a pattern with one group, whose last match in what the
  /// command prints is a number.
  std::optional<std::string> measure;
  std::optional<std::string> unit;    ///< of that number: s, ms, us, ns, else as it is printed
  std::optional<std::string> better;  ///< less, more

  friend bool operator==(const swept_command&, const swept_command&) = default;

  /// Name of its program in the results. Requires words.
  [[nodiscard]] std::string program() const;
  /// Throws: pleat::usage_error naming the option that makes no sense, or that is given without a
  /// command.
  void check() const;
  /// Combinations of its own axes, as `type` of a case has them: "tile=16, block=4".
  [[nodiscard]] std::vector<std::string> settings() const;
  /// Sets what cases of it have in common: its name, and what is measured.
  void describe(sweep_case& at) const;
  /// Makes what is run in a case: the words with everything filled in.
  /// Throws: pleat::usage_error naming what is unknown in a pair of braces.
  [[nodiscard]] case_commands filled(const sweep_case& at) const;

  /// Options as fields_json.hpp has them, each under the name of its option.
  static void each_field(auto& command, const auto& f) {
    f("command", command.words);
    f("name", command.name);
    f("axis", command.axis);
    f("env", command.env);
    f("rival", command.rival);
    f("measure", command.measure);
    f("unit", command.unit);
    f("better", command.better);
  }
};

/// Splits a command as a shell does, by blanks outside of quotes; nothing is expanded.
/// Throws: pleat::usage_error for a quote that does not end.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

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
