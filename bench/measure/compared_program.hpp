// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <pleat/runtime/error.hpp>

#include "benchmark.hpp"
#include "clock.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {

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
