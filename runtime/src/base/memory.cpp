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

/// The process that was the first to take memory.
constinit std::atomic<pid_t> first_user{0};

/// A lock of oneTBB's allocator that another thread held at a fork stays locked in the child; the C
/// library's are free there.
bool allocator_is_usable() noexcept {
  if constexpr (sanitized) return false;
  const pid_t process = this_process();
  pid_t first = first_user.load(std::memory_order_relaxed);  // a fork orders all that matters
  if (first == 0 && first_user.compare_exchange_strong(first, process, std::memory_order_relaxed))
    return true;
  return first == process;
}

/// Tells whether the C library's allocator was used in this process. Must be asked first: any other
/// question would take what the program keeps under the first of its thread-specific keys for data
/// of the allocator.
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
