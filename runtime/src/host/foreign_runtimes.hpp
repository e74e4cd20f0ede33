// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <vector>

namespace pleat::detail {

// Questions to other parallel runtimes of this process: their functions are referred to weakly, so
// that nothing here has to be linked with them.

/// Tells whether the calling thread is inside a parallel region of OpenMP with several threads, or
/// inside a task of oneTBB. Others are at work at the same time, on the cores that a machine would
/// take. Cost: some ns.
[[nodiscard]] PLEAT_API bool in_foreign_region() noexcept;

/// The PUs of each place of OpenMP. None where no OpenMP runtime is linked with, or where its
/// environment variables bind no threads.
[[nodiscard]] PLEAT_API std::vector<std::vector<unsigned>> openmp_places();

}  // namespace pleat::detail
