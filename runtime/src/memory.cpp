// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <new>

#include <tbb/scalable_allocator.h>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/sanitizer.hpp>

namespace pleat::detail {

namespace {

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if constexpr (!sanitized) return scalable_aligned_malloc(bytes, alignment);
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
  if constexpr (sanitized)
    std::free(memory);
  else
    scalable_aligned_free(memory);
}

void give_back_all_memory() noexcept {
  if constexpr (!sanitized) (void)scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
}

}  // namespace pleat::detail
