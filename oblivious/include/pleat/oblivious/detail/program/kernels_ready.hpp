// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>

namespace pleat::detail {

namespace kernels {
PLEAT_API extern std::atomic<bool> kernels_ready;
}

/// Sees to it that what PLEAT_KERNELS forces is in force: every program of the library begins with
/// this, on its caller's thread, where an error of the variable can be thrown.
/// Throws: usage_error. Cost: a load, but for the first call in a process.
PLEAT_API void make_kernels_ready();
inline void ready_kernels() {
  // Pairs with the release store of apply_forced().
  if (!kernels::kernels_ready.load(std::memory_order_acquire)) make_kernels_ready();
}

}  // namespace pleat::detail
