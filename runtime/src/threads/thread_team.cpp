// SPDX-License-Identifier: Apache-2.0
#include "threads/thread_team.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <latch>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

constexpr int spins_between_jobs = 2000;  // about 50 µs, for programs in quick succession
// The first spins poll without pauses: a thread with an equal share of the work is about to answer,
// and a pause takes half as long as the transfer of a cache line.
constexpr int tight_spins = 200;

}  // namespace

void thread_team::post(std::size_t thread, const job_type* job) noexcept {
  order& to = orders_[thread];
  to.job = job;
  // relaxed load: only the thread that calls run or dismiss writes it. The release pairs with the
  // acquire in serve.
  to.given.store(to.given.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  sleepers_.wake(thread);
}

/// Waits until `ready()`. Returns true if other threads may have had the processor meanwhile.
template <class Ready> bool thread_team::await(std::size_t self, Ready&& ready) {
  for (int spin = 0; spin_ && spin < spins_between_jobs; ++spin) {
    if (ready()) return false;
    if (spin >= tight_spins) relax();
  }
  if (spin_ && yield_until(ready, while_waking_takes)) return true;
  while (!ready()) sleepers_.sleep_unless(self, ready);
  return true;
}

std::size_t thread_team::serve(std::size_t self) {
  const order& mine = orders_[self];
  answer& to = answers_[self];
  // relaxed: no other thread writes it, and a thread that had this number before has left
  std::uint64_t done = to.done.load(std::memory_order_relaxed);
  for (std::size_t jobs = 0;; ++jobs) {
    // acquire: pairs with the release in post
    const auto ordered = [&] { return mine.given.load(std::memory_order_acquire) != done; };
    if (await(self, ordered)) where_.restore(self);
    ++done;
    if (mine.job == nullptr) {
      to.done.store(done, std::memory_order_relaxed);
      return jobs;
    }
    (*mine.job)(self);
    if (where_.how() != workers::bound) to.pu = ::sched_getcpu();
    to.done.store(done, std::memory_order_release);  // pairs with the acquire in run
    sleepers_.wake(0);
  }
}

void thread_team::run(std::size_t active, const job_type& job) {
  for (std::size_t i = 1; i < active; ++i) post(i, &job);
  job(0);
  std::size_t next = 1;  // all threads before it have answered
  await(0, [&] {
    while (next < active && answers_[next].done.load(std::memory_order_acquire) ==
                                orders_[next].given.load(std::memory_order_relaxed))
      ++next;
    return next == active;
  });
}

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
        "): ask for fewer processors, smaller stacks (`ulimit -s`) or raise `ulimit -u`");
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

std::size_t borrowed_threads::enter(std::optional<std::uint64_t> gathering) {
  const std::scoped_lock lock(mutex_);
  const std::size_t before = entered_.load(std::memory_order_relaxed);
  if (!open_ || gathering.value_or(gatherings_) != gatherings_ || before == most_) return 0;
  ++inside_;
  entered_.store(before + 1, std::memory_order_release);  // pairs with the acquire in present
  return before + 1;
}

std::size_t borrowed_threads::serve(std::size_t self) {
  threads_[self].store(this_thread(), std::memory_order_relaxed);
  const std::size_t jobs = team_.serve(self);
  threads_[self].store(0, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  if (--inside_ == 0) all_left_.notify_all();
  return jobs;
}

bool borrowed_threads::any_joins_this_thread() const noexcept {
  // relaxed: callers ask repeatedly
  return std::ranges::any_of(threads_, [](const std::atomic<pid_t>& id) {
    const pid_t thread = id.load(std::memory_order_relaxed);
    return thread != 0 && joins_this_thread(thread);
  });
}

std::optional<std::uint64_t> borrowed_threads::open() {
  const std::scoped_lock lock(mutex_);
  if (open_) return std::nullopt;
  open_ = true;
  return ++gatherings_;
}

void borrowed_threads::close() noexcept {
  std::unique_lock lock(mutex_);
  open_ = false;
  for (std::size_t i = entered_.load(std::memory_order_relaxed); i > 0; --i) team_.dismiss(i);
  all_left_.wait(lock, [&] { return inside_ == 0; });
  entered_.store(0, std::memory_order_relaxed);
}

}  // namespace pleat::detail
