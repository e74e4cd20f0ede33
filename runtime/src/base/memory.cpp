// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdlib>
#include <new>
#include <sys/types.h>

#include <tbb/scalable_allocator.h>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/threads.hpp>

#include "base/sanitizer.hpp"

namespace pleat::detail {

namespace {

/// Process that was the first to take memory.
constinit std::atomic<pid_t> first_user{0};

/// Tells whether oneTBB's allocator can be used. In a forked child it cannot: a lock that another
/// thread held at the fork stays locked. The C library's locks are free in the child.
bool allocator_is_usable() noexcept {
  if constexpr (sanitized) return false;
  const pid_t process = this_process();
  pid_t first = first_user.load(std::memory_order_relaxed);  // a fork orders all that matters
  if (first == 0 && first_user.compare_exchange_strong(first, process, std::memory_order_relaxed))
    return true;
  return first == process;
}

/// Tells whether oneTBB's allocator was used in this process. Call this before any other function
/// of the allocator: if the allocator was not used, they would take the data of the program's first
/// thread-specific key for their own.
bool allocator_was_used() noexcept {
  return !sanitized && first_user.load(std::memory_order_relaxed) == this_process();
}

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if (allocator_is_usable()) return scalable_aligned_malloc(bytes, alignment);
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

}  // namespace

void* take_memory(std::size_t bytes, std::size_t alignment) {
  void* memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void give_back_memory(void* memory) noexcept {
  if (allocator_was_used())
    scalable_aligned_free(memory);
  else
    std::free(memory);
}

void give_back_all_memory() noexcept {
  if (allocator_was_used()) (void)scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
}

}  // namespace pleat::detail
