// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <pleat/runtime/detail/thread_pool.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

thread_pool::thread_pool(crew& of, std::size_t members, std::function<void(std::size_t)> enter)
    : crew_(of), ids_(members - 1) {
  threads_.reserve(members - 1);
  std::mutex mutex;
  std::exception_ptr failure, not_started;
  // The threads', too: one may still be inside count_down when wait has returned.
  const auto entered = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(members - 1));
  std::size_t started = 1;
  try {
    for (; started < members; ++started) {
      threads_.emplace_back([&, this, entered, self = started] {
        ids_[self - 1] = this_thread();
        try {
          enter(self);
        } catch (...) {
          const std::scoped_lock lock(mutex);
          if (!failure) failure = std::current_exception();
        }
        entered->count_down();  // behind the last use of the constructor's locals
        static_cast<void>(crew_.serve(self));
      });
    }
  } catch (...) {  // whatever it is, threads that run must have stopped before it goes on
    not_started = std::current_exception();
    entered->count_down(static_cast<std::ptrdiff_t>(members - started));
  }
  entered->wait();
  if (!failure && !not_started) return;
  stop();
  try {
    std::rethrow_exception(not_started ? not_started : failure);
  } catch (const std::system_error& e) {
    if (!not_started) throw;
    throw environment_error("only " + std::to_string(started) + " of " + std::to_string(members) +
                            " workers could be started (" + e.what() +
                            "): ask for fewer processors or raise `ulimit -u`");
  }
}

thread_pool::~thread_pool() { stop(); }

bool thread_pool::ours() const noexcept { return this_process() == process_; }

void thread_pool::stop() noexcept {
  if (!ours()) {
    // There is nobody to join, and a std::thread that was not joined cannot be destroyed.
    (void)new std::vector<std::thread>(std::move(threads_));
    return;
  }
  for (std::size_t i = 1; i <= threads_.size(); ++i) crew_.dismiss(i);
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

}  // namespace pleat::detail
