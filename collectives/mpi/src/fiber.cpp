// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cxxabi.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace pleat::preloaded {

namespace {

// Functions of the program, MPI_Op's and error handlers, run on these stacks. The system gives
// pages when they are touched.
constexpr std::size_t stack_bytes = std::size_t{16} << 20;
constexpr std::size_t guard_bytes = std::size_t{1} << 20;  // not to be touched, of any page size

struct free_stacks {
  static constexpr std::size_t most = 64;
  std::mutex guard;
  std::vector<void*> all;
};
free_stacks& stacks() {
  static auto& one = *new free_stacks;  // NOLINT(cppcoreguidelines-owning-memory)
  return one;
}

void* take_stack() {
  {
    const std::lock_guard lock(stacks().guard);
    if (!stacks().all.empty()) {
      void* const last = stacks().all.back();
      stacks().all.pop_back();
      return last;
    }
  }
  void* const made = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (made == MAP_FAILED) throw std::bad_alloc();
  ::mprotect(made, guard_bytes, PROT_NONE);
  ::madvise(made, stack_bytes, MADV_NOHUGEPAGE);
  return made;
}

void give_stack_back(void* stack) {
  {
    const std::lock_guard lock(stacks().guard);
    if (stacks().all.size() < free_stacks::most) return stacks().all.push_back(stack);
  }
  ::munmap(stack, stack_bytes);
}

}  // namespace

fiber::fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
  ::getcontext(&own_);
  own_.uc_stack.ss_sp = stack_;
  own_.uc_stack.ss_size = stack_bytes;
  own_.uc_link = &outside_;
  const std::uint64_t self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&own_, reinterpret_cast<void (*)()>(run), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}

fiber::~fiber() { give_stack_back(stack_); }

void fiber::run(unsigned high, unsigned low) {
  auto* const self = reinterpret_cast<fiber*>(static_cast<std::uintptr_t>(
      std::uint64_t{high} << 32 | low));  // NOLINT(performance-no-int-to-ptr)
  self->body_();
  self->ended_ = true;
}

// Exceptions that are being handled belong to a stack, but the run time keeps them by thread.
void fiber::resume() {
  auto* const thread_s = reinterpret_cast<void*>(abi::__cxa_get_globals());
  decltype(exceptions_) outside;
  std::memcpy(&outside, thread_s, sizeof outside);
  std::memcpy(thread_s, &exceptions_, sizeof outside);
  ::swapcontext(&outside_, &own_);
  std::memcpy(&exceptions_, thread_s, sizeof outside);
  std::memcpy(thread_s, &outside, sizeof outside);
}

void fiber::suspend() { ::swapcontext(&own_, &outside_); }

}  // namespace pleat::preloaded
