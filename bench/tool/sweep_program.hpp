// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "measure/big_block.hpp"
#include "pleat_problems.hpp"
#include "sweep/sweep_case.hpp"
#include "words.hpp"

namespace pleat::bench {

/// A program at one point of the sweep; its functions share its data.
struct prepared_program {
  std::size_t element_bytes = 0;
  std::function<double()> sample;  ///< fresh data, one run: the seconds of the run alone
  /// Checks what the last sample left. Throws: pleat::error if it is wrong.
  std::function<void()> verify;
  /// A run on fresh data on another machine, with as many virtual processors as its own would take.
  std::function<run_report(machine& other)> run_on;
  measured_arrays arrays;  ///< that it works on: see array_pages for where the kernel has them
};

/// A program of the library that a sweep can run.
struct sweep_program {
  std::string_view name;
  std::string_view
      types;  ///< of the elements, separated by ", "; the first unless the user chooses
  /// Types that it has over the ranks of an MPI (bench/ranks/ranked_PROBLEM.cpp).
  std::string_view types_over_ranks;
  std::string_view n;  ///< the sizes unless the user chooses
  /// One operation of size n, which times are of, as "a sort of n keys".
  std::string_view operation;
  /// Steps that rates count, as "keys", and how many an operation of size n has.
  std::string_view step;
  double (*steps)(std::size_t n);
  prepared_program (*prepare)(machine& on, const sweep_case& at);
  bool has_keys = false;    ///< which --distribution is about
  unsigned dimensions = 1;  ///< a run of size n is about n^dimensions elements
  /// Operations in a call, where small sizes are measured many at a time; such sizes are none of
  /// weak scaling. Null: one.
  std::size_t (*batch)(std::size_t n) = nullptr;
};

// sweep_PROBLEM.cpp of each problem
#define PLEAT_DECLARED(problem) std::span<const sweep_program> problem##_sweeps();
PLEAT_SWEEP_PROBLEMS(PLEAT_DECLARED)
#undef PLEAT_DECLARED

/// Lists the programs of all problems.
[[nodiscard]] inline const std::vector<sweep_program>& sweep_programs() {
#define PLEAT_CALLED(problem) problem##_sweeps(),
  static const auto all = joined<sweep_program>({PLEAT_SWEEP_PROBLEMS(PLEAT_CALLED)});
#undef PLEAT_CALLED
  return all;
}

/// Throws: pleat::usage_error naming those there are.
[[nodiscard]] inline const sweep_program& find_sweep_program(std::string_view name) {
  const auto found = std::ranges::find(sweep_programs(), name, &sweep_program::name);
  if (found == sweep_programs().end())
    throw usage_error("--programs: '" + std::string(name) + "' is no program; known: " +
                      names_of(sweep_programs(), &sweep_program::name));
  return *found;
}

/// Operation that the times of a case are of, and the steps that rates count.
struct swept_operation {
  std::string name, step;
  double steps;
};
/// Describes that of a program, or of a command, whose steps are its size, or 1 without a size.
[[nodiscard]] inline swept_operation operation_of(const sweep_case& at) {
  if (at.command)
    return {"a run of " + *at.command, at.n == 0 ? "runs" : "n",
            at.n == 0 ? 1 : static_cast<double>(at.n)};
  const sweep_program& program = find_sweep_program(at.program);
  return {std::string(program.operation), std::string(program.step), program.steps(at.n)};
}

}  // namespace pleat::bench
