// SPDX-License-Identifier: Apache-2.0
#include "threads/borrowed_threads.hpp"

#include <algorithm>

#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

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
