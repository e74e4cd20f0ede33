// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace pleat::bench {

/// The clock of every figure: never set back.
using benchmark_clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(benchmark_clock::time_point start) {
  return std::chrono::duration<double>(benchmark_clock::now() - start).count();
}

}  // namespace pleat::bench
