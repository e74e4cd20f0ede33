// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "benchmark_options.hpp"
#include "comparison.hpp"
#include "pleat_problems.hpp"
#include "testbed.hpp"

namespace pleat::bench {

/// Something Pleat does that others do as well: what `pleat compare NAME` measures, and which
/// options mean something to it. Lists are separated by ", ", and empty where there is nothing to
/// choose.
struct benchmark {
  std::string_view name;
  std::string_view group;  ///< compare GROUP runs all benchmarks of the group
  std::string_view summary;
  std::string_view n_means;  ///< what --n is to it
  void (*measure)(testbed&, const benchmark_options&, const runner&);
  std::string_view rivals = {};
  std::string_view types = {};   ///< of the elements
  std::string_view shapes = {};  ///< of matrices and boxes
  std::size_t least_n = 1, most_n = std::numeric_limits<std::size_t>::max();
  bool has_keys = false;        ///< which --distribution is about
  bool has_operations = false;  ///< which --operations chooses from
  bool spins = false;  ///< its rivals include OpenMP barriers, to be measured with active waiting
  /// Checks the rest of the options. Throws: pleat::usage_error.
  void (*check)(const benchmark_options&) = nullptr;
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
