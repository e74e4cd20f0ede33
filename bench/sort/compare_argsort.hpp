// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/benchmark.hpp"

namespace pleat::bench {

/// Indices instead of keys, which have 4 bytes. Requires: at most 2^32 keys.
void measure_argsort(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
