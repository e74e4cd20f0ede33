// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel's calls of parking.cpp: membarrier(2) is a fence of all threads, and futex(2) compares
// the word's latest value and blocks in one step, but orders nothing.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

inline bool has_membarrier;

inline long kernel(long, int, int, int) {
  if (!has_membarrier) return -1;
  // An access that the search omits in its turn.
  if (searched::order_at(std::memory_order_acquire, searched::access::kernel,
                         std::source_location::current()) != std::memory_order_relaxed)
    searched::fence_of_all_threads();
  return 0;
}

inline long kernel(long, std::uint32_t* at, int operation, std::uint32_t value, const timespec*,
                   std::nullptr_t, int) {
  constexpr int futex_wait = 128;  // a private one
  auto& word = *reinterpret_cast<std::atomic<std::uint32_t>*>(at);
  if (operation == futex_wait) {
    if (word.fetch_add(0, std::memory_order_relaxed) != value) return -1;
    searched::block(at);
    return 0;
  }
  return searched::unblock(at) ? 1 : 0;
}

#define syscall kernel
#include "threads/parking.cpp"
#undef syscall
