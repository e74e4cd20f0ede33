// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/benchmark.hpp"

namespace pleat::bench {

/// Circulant schedules of all ranks, one by one and as a table. Needs no machine.
void measure_schedule(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
