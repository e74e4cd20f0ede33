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

/// The axes of a sweep as they are written on the command line; what is empty was not given.
struct sweep_axes {
  std::string programs;                     ///< sort,fft
  std::string types;                        ///< u64,f64: of each program those it knows
  std::optional<std::string> distribution;  ///< of the keys
  std::string n;                            ///< 2^10,2^20 or sort=2^20..2^26,matmul=512..4096
  std::string per_processor;                ///< the same, of one processor: weak scaling
  std::string processors;                   ///< 1,2,4..max
  std::vector<std::string> places;
  std::vector<std::string> memory;  ///< first-touch,interleave,bind:1
  std::vector<std::string> pages;   ///< 4k,thp,hugetlb
  std::vector<std::string> wait;    ///< auto,spin
  std::string hardware_threads;     ///< one,all
  std::string ranks;                ///< 1,2,4: then `processors` are those of each
  std::string mpi;                  ///< openmpi; the first that is here

  swept_command command;  ///< instead of programs

  /// Makes all cases: the product of the axes, without repetitions, programs outermost.
  ///
  /// Sizes that name no program are those of all programs without sizes of their own. With
  /// `per_processor` N, p processors have the size with p times as many elements as N has: p·N
  /// numbers, matrices of N·√p rows. With `ranks`, each has one processor unless `processors` says
  /// otherwise, and p counts those of all ranks.
  ///
  /// Throws: pleat::usage_error naming the axis and what it takes; also where a type, a size or a
  /// distribution is of no program of the sweep, and for more than 100,000 cases;
  /// pleat::environment_error where there are ranks and nothing that starts them.
  [[nodiscard]] std::vector<sweep_case> cases() const;

  friend bool operator==(const sweep_axes&, const sweep_axes&) = default;

  /// Axes as fields_json.hpp has them; each under the name of its option.
  static void each_field(auto& axes, const auto& f) {
    f("programs", axes.programs);
    f("type", axes.types);
    f("distribution", axes.distribution);
    f("n", axes.n);
    f("per_processor", axes.per_processor);
    f("processors", axes.processors);
    f("place", axes.places);
    f("memory", axes.memory);
    f("pages", axes.pages);
    f("wait", axes.wait);
    f("hardware_threads", axes.hardware_threads);
    f("ranks", axes.ranks);
    f("mpi", axes.mpi);
    swept_command::each_field(axes.command, f);
  }
};

/// Sizes by program, from `2^10,2^12,sort=2^20..2^26,2^27,matmul=512`: what stands before the first
/// name is of every program that is not named. Throws: pleat::usage_error naming the option.
struct named_sizes {
  std::string program;  ///< empty: of all others
  std::string sizes;    ///< as parse_counts takes them
};
[[nodiscard]] std::vector<named_sizes> parse_named_sizes(const std::string& text,
                                                         const std::string& option);

}  // namespace pleat::bench
