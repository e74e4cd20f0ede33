// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/benchmark.hpp"

namespace pleat::bench {

/// Bruck's index operation among 64 virtual processors, one radix beside the others.
void measure_index(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
