// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "evidence/gallery/rivals/gallery_rivals.hpp"
#include "gallery_benchmark.hpp"
#include "pleat_rivals_linked.hpp"

namespace pleat::bench {

/// Adds OpenMP's way to do a program, work(number of threads). It is a template, so that a build
/// without OpenMP, which does not have what it calls, need not link it.
template <class Work>
void add_openmp(comparison& compared, const benchmark_options& options,
                const compared_program& program, unsigned threads, const Work& work) {
  add_rival(compared, options, program, "openmp", [threads, work] {
    if constexpr (PLEAT_WITH_OPENMP) work(threads);
  });
}

/// Adds oneTBB in the same way.
template <class Work>
void add_tbb(comparison& compared, const benchmark_options& options,
             const compared_program& program, unsigned threads, const Work& work) {
  add_rival(compared, options, program, "tbb", [threads, work] {
    if constexpr (PLEAT_WITH_TBB) work(threads);
  });
}

}  // namespace pleat::bench
