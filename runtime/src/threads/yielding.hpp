// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <chrono>
#include <sched.h>

namespace pleat::detail {

/// Time that waking a thread takes: its processor leaves a state of low power, and a virtual one
/// must be scheduled by its host, a millisecond or two later. To wait as long before sleeping costs
/// at most twice what the best choice would have.
inline constexpr std::chrono::microseconds while_waking_takes{2000};

/// Offers the processor to other threads, again and again, until `ready` or for that long.
/// Returns: whether it became ready.
template <class Ready> bool yield_until(Ready&& ready, std::chrono::microseconds longest) {
  if (longest.count() == 0) return false;
  const auto end = std::chrono::steady_clock::now() + longest;
  do {
    if (ready()) return true;
    ::sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace pleat::detail
