// SPDX-License-Identifier: Apache-2.0
#include "threads/stack_overflow.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pleat::detail {

namespace {

/// Data of a thread's stack for the handler, which may not allocate.
struct watched_stack {
  explicit watched_stack(std::size_t worker);
  ~watched_stack();
  watched_stack(const watched_stack&) = delete;
  watched_stack& operator=(const watched_stack&) = delete;

  void release() noexcept;

  static constexpr std::size_t handlers_bytes = std::size_t{64} << 10;
  void* handlers;  // stack of the signal handler
  std::uintptr_t guard_first = 0, guard_last = 0;
  char line[200];
  std::size_t length;
};

// Key of the calling thread's watched_stack, which glibc's pthread_getspecific reads safely in a
// handler. A thread_local variable may be allocated when the handler first accesses it; as
// initial-exec it is not, but then dlopen finds no room for the variables of a plugin that has the
// library inside.
pthread_key_t watched;

struct sigaction before;

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    return before.sa_handler(signal);
  const bool sent = info->si_code <= 0;  // by kill; else the faulting instruction is repeated
  if (sent && before.sa_handler == SIG_IGN) return;
  ::sigaction(signal, &before, nullptr);
  if (sent) ::raise(signal);
}

void handle(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto* const here = static_cast<const watched_stack*>(::pthread_getspecific(watched));
  if (here != nullptr && info->si_code > 0 && here->guard_first <= address &&
      address < here->guard_last)
    static_cast<void>(!::write(STDERR_FILENO, here->line, here->length));
  pass_on(signal, info, context);
}

void install_handler() {
  static constinit std::atomic_flag done;
  if (done.test_and_set()) return;
  ::sigaction(SIGSEGV, nullptr, &before);  // set before the handler that reads it is installed
  struct sigaction ours {};
  ours.sa_sigaction = handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (before.sa_flags & SA_NODEFER);
  ours.sa_mask = before.sa_mask;
  ::sigaction(SIGSEGV, &ours, nullptr);
}

watched_stack::watched_stack(std::size_t worker)
    : handlers(::mmap(nullptr, handlers_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0)) {
  static const bool has_key = ::pthread_key_create(&watched, nullptr) == 0;
  if (handlers == MAP_FAILED) throw std::bad_alloc();
  pthread_attr_t all;
  void* first = nullptr;
  std::size_t bytes = 0, guard = 0;
  if (::pthread_getattr_np(::pthread_self(), &all) == 0) {
    ::pthread_attr_getstack(&all, &first, &bytes);
    ::pthread_attr_getguardsize(&all, &guard);
    ::pthread_attr_destroy(&all);
  }
  guard_last = reinterpret_cast<std::uintptr_t>(first);
  guard_first = guard_last - guard;
  const int written = std::snprintf(
      line, sizeof line,
      "pleat: the stack of worker %zu (%zu KiB) has overflowed, in a program or a function that it "
      "calls: give workers more, as in PLEAT_STACK=64M\n",
      worker, bytes >> 10);
  length = std::min(static_cast<std::size_t>(std::max(written, 0)), sizeof line - 1);
  const stack_t there{.ss_sp = handlers, .ss_flags = 0, .ss_size = handlers_bytes};
  ::sigaltstack(&there, nullptr);
  if (!has_key || ::pthread_setspecific(watched, this) != 0) {
    release();
    throw std::bad_alloc();
  }
}

watched_stack::~watched_stack() {
  ::pthread_setspecific(watched, nullptr);
  release();
}

void watched_stack::release() noexcept {
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  ::sigaltstack(&none, nullptr);
  ::munmap(handlers, handlers_bytes);
}

}  // namespace

void report_stack_overflow(std::size_t worker) {
  static thread_local std::optional<watched_stack> here;
  here.emplace(worker);
  install_handler();
}

}  // namespace pleat::detail
