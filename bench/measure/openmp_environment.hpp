// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/placement.hpp>

#include "child_process.hpp"

namespace pleat::bench {

/// Gives OpenMP runtimes, which read their threads' places and how to wait from the environment,
/// once, the processors our own workers get. `spins`: with active waiting, as barriers are measured
/// with.
[[nodiscard]] environment_changes openmp_environment(const placement& placed, bool spins);

}  // namespace pleat::bench
