// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <chrono>
#include <sched.h>

namespace pleat::detail {

/// Time to wake a thread: its processor leaves a low-power state, and the host schedules a virtual
/// processor a millisecond or two later. Waiting that long before sleeping costs at most twice as
/// much as the best choice.
inline constexpr std::chrono::microseconds while_waking_takes{2000};

/// Yields the processor repeatedly until `ready()`, for at most `longest`. Returns whether it
/// became ready.
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
