// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/statistics.hpp"
#include "sweep_program.hpp"

namespace pleat::bench {

struct sweep_settings {
  std::size_t repetitions = 5;
  double seconds = 0.1;  ///< at least this much measured time per repetition
};

/// What came of one case.
struct sweep_result {
  sweep_case at;
  summary seconds;                ///< of a run, over the repetitions
  std::optional<double> speedup;  ///< over one processor, if that was measured as well
  std::optional<double> efficiency;
  std::optional<double> predicted;  ///< seconds, by D-BSP from the time on one processor
};

struct sweep_outcome {
  std::vector<sweep_result> results;  ///< in the order of the cases
  std::string json;  ///< Google Benchmark's own report, speed-ups and predictions added
};

/// Measures all cases with Google Benchmark, their repetitions in random order.
///
/// Before every repetition the program runs once on its data and the result is verified; that run
/// is not timed. Each timed run gets fresh data; only the run itself is timed.
///
/// Requires: no other benchmarks registered in this process.
/// Throws: what the programs throw; nothing is reported then.
[[nodiscard]] sweep_outcome run_sweep(const std::vector<sweep_case>& cases,
                                      const sweep_settings& settings,
                                      const std::function<void(const sweep_case&)>& progress);

}  // namespace pleat::bench
