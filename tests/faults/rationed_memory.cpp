// SPDX-License-Identifier: Apache-2.0
// Takes the place of the allocators: what an executable defines, its libraries use too.
#include "rationed_memory.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace {

constexpr std::size_t plenty = ~std::size_t{0};

std::atomic<std::size_t> asked{0};
std::atomic<std::size_t> refused{0};
std::atomic<std::size_t> first_refused{plenty};
std::atomic<bool> all_after{false};
std::atomic<long> in_use{0};
std::atomic<std::size_t> held_bytes{0};
std::atomic<std::size_t> most_bytes{0};

void given_out(void* block) noexcept {
  if (block == nullptr) return;
  ++in_use;
  const std::size_t now = held_bytes += ::malloc_usable_size(block);
  for (std::size_t most = most_bytes; most < now && !most_bytes.compare_exchange_weak(most, now);) {
  }
}
void taken_back(void* block) noexcept {
  if (block == nullptr) return;
  --in_use;
  held_bytes -= ::malloc_usable_size(block);
}

// Number of allocations of this thread that are still granted before one is refused.
constinit thread_local std::size_t granted_here = plenty;

bool refuse() noexcept {
  if (granted_here != plenty && granted_here-- == 0) {  // then it is plenty again
    ++refused;
    return true;
  }
  const std::size_t first = first_refused.load();
  if (first == plenty) return false;
  const std::size_t mine = asked++;
  if (mine != first && !(all_after.load() && mine > first)) return false;
  ++refused;
  return true;
}

}  // namespace

namespace faults {

void ration_memory(std::size_t first, bool and_all_after) noexcept {
  asked = 0;
  refused = 0;
  all_after = and_all_after;
  first_refused = first;
}
std::size_t end_ration() noexcept {
  first_refused = plenty;
  return refused;
}
void ration_thread(std::size_t first) noexcept { granted_here = first; }
bool end_thread_ration() noexcept { return std::exchange(granted_here, plenty) == plenty; }
long blocks_in_use() noexcept { return in_use; }
std::size_t bytes_in_use() noexcept { return held_bytes; }
std::size_t most_bytes_in_use() noexcept { return most_bytes; }
void forget_most_bytes() noexcept { most_bytes = held_bytes.load(); }

}  // namespace faults

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLEAT_TEST_NEW_ALONE
#endif
#endif
#else
#define PLEAT_TEST_NEW_ALONE
#endif

#ifndef PLEAT_TEST_NEW_ALONE

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);

static void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}
void* malloc(std::size_t bytes) { return refuse() ? out_of_memory() : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  return refuse() ? out_of_memory() : __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  return refuse() ? out_of_memory() : __libc_realloc(block, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return refuse() ? out_of_memory() : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (refuse()) return ENOMEM;
  *block = __libc_memalign(alignment, bytes);
  return *block != nullptr ? 0 : ENOMEM;
}
void free(void* block) { __libc_free(block); }

void* scalable_aligned_malloc(std::size_t bytes, std::size_t alignment) {
  void* const block = refuse() ? nullptr : __libc_memalign(alignment, bytes);
  given_out(block);
  return block;
}
void scalable_aligned_free(void* block) {
  taken_back(block);
  __libc_free(block);
}

// Gives nothing back, since nothing is kept.
int scalable_allocation_command(int, void*) { return 0; }

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0 && refuse()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(
      ::syscall(SYS_mmap, where, bytes, protection, flags, file, offset));
}
}

static void* raw(std::size_t bytes, std::size_t alignment) {
  return __libc_memalign(alignment, bytes);
}
static void give_back(void* block) { __libc_free(block); }

#else

static void* raw(std::size_t bytes, std::size_t alignment) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void give_back(void* block) { std::free(block); }

#endif

static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  void* const block = refuse() ? nullptr : raw(bytes == 0 ? 1 : bytes, alignment);
  given_out(block);
  return block;
}
static void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const block = allocate(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
static void release(void* block) noexcept {
  taken_back(block);
  give_back(block);
}

static constexpr std::size_t usual = alignof(std::max_align_t);
using std::align_val_t;
void* operator new(std::size_t n) { return allocate_or_throw(n, usual); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, usual); }
void* operator new(std::size_t n, align_val_t a) {
  return allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, align_val_t a) {
  return allocate_or_throw(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, usual); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, usual); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, align_val_t) noexcept { release(block); }
void operator delete[](void* block, align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, align_val_t) noexcept { release(block); }
