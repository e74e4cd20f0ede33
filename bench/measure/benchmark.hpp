// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <pleat/runtime/machine.hpp>

#include "big_block.hpp"
#include "interleave.hpp"
#include "pleat_problems.hpp"

namespace pleat::bench {

/// Options of a benchmark that the user may choose; unset means the benchmark's own default.
struct benchmark_options {
  std::optional<std::size_t> n;
  std::optional<std::size_t> repetitions;
  std::vector<std::string> rivals;      ///< only these; empty: all but those that take very long
  std::vector<std::string> operations;  ///< of collectives only these; empty: all
  std::string type;                     ///< of the elements; empty: the benchmark's own default
  std::string shape;                    ///< of matrices; empty: the benchmark's own default
  std::string distribution = "random";
  std::uint64_t seed = 1;

  [[nodiscard]] std::string type_or(std::string_view usual) const {
    return type.empty() ? std::string(usual) : type;
  }

  /// Tells whether a rival takes part: asked for, or no rival was and it does by default.
  [[nodiscard]] bool wants(std::string_view rival, bool by_default = true) const {
    return rivals.empty() ? by_default : std::ranges::find(rivals, rival) != rivals.end();
  }
};

/// The machine all candidates of a benchmark are measured on.
struct testbed {
  machine& ours;
  machine_options like_ours;  ///< for other machines on the same processors
  std::vector<unsigned> pus;  ///< of its processors, in order: where rivals' threads go

  /// Requires a processor for each thread, and more than one, for benchmarks in which threads spin
  /// for each other. Throws: pleat::environment_error otherwise.
  void require_dedicated(std::string_view benchmark) const;

  /// The first two processors, for benchmarks that are between two.
  /// Throws: pleat::environment_error if there are not two different PUs.
  [[nodiscard]] std::vector<unsigned> pair(std::string_view benchmark) const;
};

/// An absolute figure beside a time, by its name in the JSON.
struct absolute_figure {
  const char* name;
  double value;
};

/// One measurement of Pleat beside its rivals.
struct comparison {
  std::string measure = {};  ///< what is timed, e.g. "round trip of 8 bytes"
  std::string type = {};     ///< of the elements; empty where there are none
  std::size_t n = 0;         ///< problem size; of what, the benchmark says
  unsigned processors = 0;
  std::size_t repetitions = 0;
  candidate ours = {};
  std::vector<candidate> rivals = {};     ///< named as in all_rivals; may be empty
  std::vector<std::string> missing = {};  ///< rivals this build does not have
  /// Rivals that were to take part and could not, each with the reason.
  std::vector<std::pair<std::string, std::string>> failed = {};

  /// Function that makes a figure of the median of ours in seconds: added to the results.
  std::function<absolute_figure(double)> figure = {};

  /// The rivals are Pleat without one thing it does; the figure is what that thing adds.
  bool surcharge = false;

  bench::pace pace = {};

  /// Arrays that all of them work on, where these are long-lived.
  measured_arrays arrays = {};

  /// Adds a rival if it is wanted and linked; if only wanted, names it as missing.
  void add_rival(const benchmark_options& options, std::string_view rival,
                 const std::function<candidate()>& make, bool by_default = true);
};

/// Measures a comparison and keeps its results.
using runner = std::function<void(const comparison&)>;

/// Something Pleat does that others do as well: what `pleat compare NAME` measures, and which
/// options mean something to it. Lists are separated by ", ", and empty where there is nothing to
/// choose.
struct benchmark {
  std::string_view name;
  std::string_view summary;
  std::string_view n_means;  ///< what --n is to it
  void (*measure)(testbed&, const benchmark_options&, const runner&);
  std::string_view rivals = {};
  std::string_view types = {};   ///< of the elements
  std::string_view group = {};   ///< compare GROUP runs all benchmarks of the group; empty: `name`
  std::string_view shapes = {};  ///< of matrices and boxes
  std::size_t least_n = 1, most_n = std::numeric_limits<std::size_t>::max();
  bool has_keys = false;        ///< which --distribution is about
  bool has_operations = false;  ///< which --operations chooses from
  bool spins = false;  ///< its rivals include OpenMP barriers, to be measured with active waiting
  /// Checks the rest of the options. Throws: pleat::usage_error.
  void (*check)(const benchmark_options&) = nullptr;

  /// Copies it with another setting of those that few rows of a table have.
  template <class T>
  [[nodiscard]] constexpr benchmark with(T benchmark::*setting,
                                         std::type_identity_t<T> value) const {
    benchmark changed = *this;
    changed.*setting = value;
    return changed;
  }
};

// compare_PROBLEM.cpp of each problem
#define PLEAT_DECLARED(problem) std::span<const benchmark> problem##_benchmarks();
PLEAT_COMPARE_PROBLEMS(PLEAT_DECLARED)
#undef PLEAT_DECLARED

/// Lists the benchmarks of all problems.
[[nodiscard]] const std::vector<benchmark>& all_benchmarks();

/// Checks that a benchmark can do what was chosen, before anything is measured: every option means
/// something to it, and every value is one it takes. The distribution has a default, so whether it
/// was chosen is said beside. Throws: pleat::usage_error naming the option, the benchmark and what
/// it takes.
void check_options(const benchmark& checked, const benchmark_options& options,
                   bool distribution_given);

}  // namespace pleat::bench
