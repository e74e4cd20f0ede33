// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/benchmark.hpp"

namespace pleat::bench {

// One in each of compare_….cpp.
void measure_channel(testbed& on, const benchmark_options& options, const runner& run);
void measure_lend(testbed& on, const benchmark_options& options, const runner& run);
void measure_messages(testbed& on, const benchmark_options& options, const runner& run);
void measure_report(testbed& on, const benchmark_options& options, const runner& run);
void measure_run(testbed& on, const benchmark_options& options, const runner& run);
void measure_sync(testbed& on, const benchmark_options& options, const runner& run);
void measure_trace(testbed& on, const benchmark_options& options, const runner& run);
void measure_vp(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
