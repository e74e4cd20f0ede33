// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evidence/gallery/rivals/gallery_rivals.hpp"
#include "measure/compared_program.hpp"

// pleat compare gallery: a function for each program, in compare_PROGRAM.cpp.
namespace pleat::bench {

void measure_pipeline(testbed& on, const benchmark_options& options, const runner& run);
void measure_k_means(testbed& on, const benchmark_options& options, const runner& run);
void measure_thumbnail(testbed& on, const benchmark_options& options, const runner& run);
void measure_all_paths(testbed& on, const benchmark_options& options, const runner& run);
void measure_poisson(testbed& on, const benchmark_options& options, const runner& run);
void measure_log_groups(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
