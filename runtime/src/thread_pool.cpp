// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <latch>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <pleat/runtime/detail/relax.hpp>
#include <pleat/runtime/detail/thread_pool.hpp>
#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/detail/yielding.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

constexpr int spins_between_jobs = 2000;  // about 50 µs, for programs one after the other

}  // namespace

thread_pool::thread_pool(std::size_t members, bool spin, std::function<void(std::size_t)> enter)
    : spin_(spin), sleepers_(members), orders_(members), ids_(members - 1) {
  threads_.reserve(members - 1);
  std::mutex mutex;
  std::exception_ptr failure;
  std::latch entered(static_cast<std::ptrdiff_t>(members - 1));
  std::size_t started = 1;
  try {
    for (; started < members; ++started) {
      threads_.emplace_back([&, self = started] {
        bool ok = true;
        ids_[self - 1] = this_thread();
        try {
          enter(self);
        } catch (...) {
          const std::scoped_lock lock(mutex);
          if (!failure) failure = std::current_exception();
          ok = false;
        }
        entered.count_down();  // the last use of the constructor's locals
        if (ok) serve(self);
      });
    }
  } catch (const std::system_error& e) {
    const std::scoped_lock lock(mutex);
    failure = std::make_exception_ptr(
        environment_error("only " + std::to_string(started) + " of " + std::to_string(members) +
                          " workers could be started (" + e.what() +
                          "): ask for fewer processors or raise `ulimit -u`"));
    entered.count_down(static_cast<std::ptrdiff_t>(members - started));
  }
  entered.wait();
  if (failure) {
    stop();
    std::rethrow_exception(failure);
  }
}

thread_pool::~thread_pool() { stop(); }

bool thread_pool::ours() const noexcept { return this_process() == process_; }

void thread_pool::order(std::size_t member) noexcept {
  orders_[member].value.fetch_add(1, std::memory_order_release);  // pairs with the acquire in serve
  sleepers_.wake(member);
}

void thread_pool::stop() noexcept {
  if (!ours()) {
    // There is nobody to join, and a std::thread that was not joined cannot be destroyed.
    (void)new std::vector<std::thread>(std::move(threads_));
    return;
  }
  stopping_ = true;
  for (std::size_t i = 1; i <= threads_.size(); ++i) order(i);
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

template <class Ready> void thread_pool::await(std::size_t self, Ready&& ready) {
  for (int spin = 0; spin_ && spin < spins_between_jobs; ++spin) {
    if (ready()) return;
    relax();
  }
  if (spin_ && yield_until(ready, while_waking_takes)) return;
  while (!ready()) sleepers_.sleep_unless(self, ready);
}

void thread_pool::serve(std::size_t self) {
  for (std::uint64_t done = 0;; ++done) {
    // acquire: pairs with the release in order
    await(self, [&] { return orders_[self].value.load(std::memory_order_acquire) > done; });
    if (stopping_) return;
    (*job_)(self);
    // acq_rel: pairs with the acquire in run
    if (remaining_.value.fetch_sub(1, std::memory_order_acq_rel) == 1) sleepers_.wake(0);
  }
}

void thread_pool::run(std::size_t active, const std::function<void(std::size_t)>& job) {
  job_ = &job;
  remaining_.value.store(active - 1, std::memory_order_relaxed);  // released by order
  for (std::size_t i = 1; i < active; ++i) order(i);
  job(0);
  await(0, [&] { return remaining_.value.load(std::memory_order_acquire) == 0; });
}

}  // namespace pleat::detail
