// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/benchmark.hpp"

namespace pleat::bench {

/// Keys and values in two arrays, each of the type asked for; rivals have them as pairs in one.
void measure_sort_by_key(testbed& on, const benchmark_options& options, const runner& run);

}  // namespace pleat::bench
