// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <vector>

namespace pleat::detail {

// Queries of other parallel runtimes in this process. The references to their functions are weak,
// so that Pleat does not have to be linked with them.

/// Tells whether the calling thread is inside a parallel region of OpenMP with several threads, or
/// inside a task of oneTBB. Other threads then work at the same time on the cores that a machine
/// would use. Cost: some ns.
[[nodiscard]] bool in_foreign_region() noexcept;

/// Returns the PUs of each place of OpenMP. Empty if no OpenMP runtime is linked, or if its
/// environment variables bind no threads.
[[nodiscard]] std::vector<std::vector<unsigned>> openmp_places();

}  // namespace pleat::detail
