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

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "big_block.hpp"
#include "clock.hpp"
#include "interleave.hpp"
#include "pleat_problems.hpp"
#include "pleat_rivals_linked.hpp"

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

/// One program, by us and by others.
struct compared_program {
  std::string measure;
  std::string type = {};
  std::size_t n;
  std::function<void()> prepare;  ///< before each call, outside the timing
  std::function<bool()> right;    ///< is what a call has left?
  double operations = 0;          ///< of a call, where they are counted
  measured_arrays arrays = {};
};

/// Somebody who does it by `work`.
inline candidate timed(const compared_program& program, const std::string& who,
                       const std::function<void()>& work) {
  return {who,
          [=] {
            program.prepare();
            work();
            if (!program.right())
              throw error("verification failed: " + who + "'s " + program.measure + " is wrong");
          },
          [=] {
            program.prepare();
            const auto start = benchmark_clock::now();
            work();
            return seconds_since(start);
          }};
}

/// The comparison of it: `ours`, and no rivals yet.
inline comparison comparison_of(const compared_program& program, testbed& on,
                                const benchmark_options& options,
                                const std::function<void()>& ours) {
  comparison made{.measure = program.measure,
                  .type = program.type,
                  .n = program.n,
                  .processors = on.ours.processors(),
                  .repetitions = options.repetitions.value_or(9),
                  .ours = timed(program, "ours", ours),
                  .pace = single_calls,
                  .arrays = program.arrays};
  if (program.operations > 0)
    made.figure = [all = program.operations](double seconds) {
      return absolute_figure{"operations_per_second", all / seconds};
    };
  return made;
}

/// Adds somebody, who does it by `work`, if this build has what that needs.
inline void add_rival(comparison& compared, const benchmark_options& options,
                      const compared_program& program, const std::string& who,
                      const std::function<void()>& work) {
  compared.add_rival(options, who, [&] { return timed(program, who, work); });
}

/// Adds OpenMP's way to do a program, work(number of threads). It is a template, so that a build
/// without OpenMP, which does not have what it calls, need not link it.
template <class Work>
void add_openmp(comparison& compared, const benchmark_options& options,
                const compared_program& program, unsigned threads, const Work& work) {
  add_rival(compared, options, program, "openmp", [threads, work] {
    if constexpr (PLEAT_WITH_OPENMP) work(threads);
  });
}

}  // namespace pleat::bench
