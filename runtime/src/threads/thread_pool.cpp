// SPDX-License-Identifier: Apache-2.0
#include "threads/thread_pool.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <exception>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

/// Blocks signals, until its destruction, in threads that the calling thread makes.
class signals_for_others {
 public:
  signals_for_others() noexcept {
    sigset_t blocked;
    ::sigfillset(&blocked);
    for (const int own :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE, SIGXFSZ, SIGPROF})
      ::sigdelset(&blocked, own);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~signals_for_others() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_for_others(const signals_for_others&) = delete;
  signals_for_others& operator=(const signals_for_others&) = delete;

 private:
  sigset_t before_;
};

/// Attributes for new threads.
class attributes {
 public:
  explicit attributes(std::size_t stack) {
    check(::pthread_attr_init(&all_));
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
    const int refused =
        ::pthread_attr_setstacksize(&all_, std::max((stack + page - 1) / page * page, least));
    if (refused == 0) return;
    ::pthread_attr_destroy(&all_);
    check(refused);
  }
  ~attributes() { ::pthread_attr_destroy(&all_); }
  attributes(const attributes&) = delete;
  attributes& operator=(const attributes&) = delete;

  [[nodiscard]] pthread_t start(std::size_t number, std::function<void()> body) const {
    auto given = std::make_unique<std::function<void()>>(std::move(body));
    pthread_t thread{};
    check(::pthread_create(&thread, &all_, &run, given.get()));
    static_cast<void>(given.release());  // the thread owns it
    ::pthread_setname_np(thread, ("pleat/" + std::to_string(number)).c_str());
    return thread;
  }

 private:
  static void check(int error) {
    if (error != 0) throw std::system_error(error, std::generic_category());
  }
  static void* run(void* given) {
    const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()>*>(given));
    (*body)();
    return nullptr;
  }

  pthread_attr_t all_{};
};

}  // namespace

thread_pool::thread_pool(thread_team& of, std::size_t size, std::size_t stack,
                         std::function<void(std::size_t)> enter)
    : team_(of), ids_(size - 1) {
  threads_.reserve(size - 1);
  std::mutex mutex;
  std::exception_ptr failure, not_started;
  // Shared with the threads: one may still be inside count_down when wait has returned.
  const auto entered = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(size - 1));
  std::size_t started = 1;
  try {
    const attributes with(stack);
    const signals_for_others blocked;
    for (; started < size; ++started) {
      threads_.push_back(with.start(started, [&, this, entered, self = started] {
        ids_[self - 1] = this_thread();
        try {
          enter(self);
        } catch (...) {
          const std::scoped_lock lock(mutex);
          if (!failure) failure = std::current_exception();
        }
        entered->count_down();  // after the last use of the constructor's locals
        static_cast<void>(team_.serve(self));
      }));
    }
  } catch (...) {  // for any exception, running threads must stop before it propagates
    not_started = std::current_exception();
    entered->count_down(static_cast<std::ptrdiff_t>(size - started));
  }
  entered->wait();
  if (!failure && !not_started) return;
  stop();
  try {
    std::rethrow_exception(not_started ? not_started : failure);
  } catch (const std::system_error& e) {
    if (!not_started) throw;
    throw environment_error(
        "only " + std::to_string(started) + " of " + std::to_string(size) +
        " workers could be started (" + e.what() +
        "): ask for fewer processors, smaller stacks (PLEAT_STACK) or raise `ulimit -u`");
  }
}

thread_pool::~thread_pool() { stop(); }

bool thread_pool::ours() const noexcept { return this_process() == process_; }

void thread_pool::stop() noexcept {
  if (!ours()) return;  // a child has no threads to join
  for (std::size_t i = 1; i <= threads_.size(); ++i) team_.dismiss(i);
  for (const pthread_t thread : threads_) ::pthread_join(thread, nullptr);
  threads_.clear();
}

}  // namespace pleat::detail
