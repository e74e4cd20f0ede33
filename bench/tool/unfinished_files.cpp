// SPDX-License-Identifier: Apache-2.0
#include "unfinished_files.hpp"

#include <array>
#include <atomic>
#include <cassert>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace pleat::bench {
namespace {

// Read by the signal handler: lock-free atomics only. A slot's release store pairs with the
// handler's acquire load, so that the handler sees the whole path.
std::array<std::atomic<const char*>, 8> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_unfinished_files(int signal) {
  for (auto& slot : unfinished) {
    if (const char* path = slot.load(std::memory_order_acquire)) ::unlink(path);
  }
  // The handler was installed for one delivery, so this one ends the process as usual.
  static_cast<void>(::raise(signal));
}

constexpr std::array ending{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU};

void install_handlers() {
  for (int signal : ending) {
    struct sigaction current {};
    // A signal that was ignored from the start (nohup) stays ignored.
    if (::sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = remove_unfinished_files;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(signal, &ours, nullptr);
  }
  // A file over the size limit becomes an error of write, not the end of the process. A handler,
  // because programs that this one starts would inherit that the signal is ignored.
  static_cast<void>(std::signal(SIGXFSZ, [](int) {}));
}

}  // namespace

void remember_unfinished_file(const char* path) {
  static std::once_flag once;
  std::call_once(once, install_handlers);
  for (auto& slot : unfinished) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, path, std::memory_order_release,
                                     std::memory_order_relaxed)) {
      return;
    }
  }
  assert(false && "more than eight unfinished files at once");
}

void forget_unfinished_file(const char* path) {
  for (auto& slot : unfinished) {
    const char* expected = path;
    if (slot.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed)) return;
  }
}

signals_aside::signals_aside() {
  static std::once_flag once;  // the thread lasts as long as the process
  std::call_once(once, [] {
    std::thread([] {
      for (;;) ::pause();
    }).detach();
  });
  sigset_t taken;
  ::sigemptyset(&taken);
  for (int signal : ending) ::sigaddset(&taken, signal);
  ::pthread_sigmask(SIG_BLOCK, &taken, &before_);
}

signals_aside::~signals_aside() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace pleat::bench
