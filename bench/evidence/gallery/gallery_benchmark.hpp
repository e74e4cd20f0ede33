// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <pleat/runtime/error.hpp>

#include "measure/benchmark.hpp"
#include "measure/clock.hpp"

// pleat compare gallery: a function for each program, in compare_PROGRAM.cpp.
namespace pleat::bench {

void measure_pipeline(testbed& on, const benchmark_options& options, const runner& run);
void measure_k_means(testbed& on, const benchmark_options& options, const runner& run);
void measure_thumbnail(testbed& on, const benchmark_options& options, const runner& run);
void measure_all_paths(testbed& on, const benchmark_options& options, const runner& run);
void measure_poisson(testbed& on, const benchmark_options& options, const runner& run);
void measure_log_groups(testbed& on, const benchmark_options& options, const runner& run);

/// One program, by us and by others.
struct compared_program {
  std::string measure;
  std::size_t n;
  std::function<void()> prepare;  ///< before each call, outside the timing
  std::function<bool()> right;    ///< is what a call has left?
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
  return {.measure = program.measure,
          .n = program.n,
          .processors = on.ours.processors(),
          .repetitions = options.repetitions.value_or(9),
          .ours = timed(program, "ours", ours),
          .pace = single_calls};
}

/// Adds somebody, who does it by `work`, if this build has what that needs.
inline void add_rival(comparison& compared, const benchmark_options& options,
                      const compared_program& program, const std::string& who,
                      const std::function<void()>& work) {
  compared.add_rival(options, who, [&] { return timed(program, who, work); });
}

}  // namespace pleat::bench
