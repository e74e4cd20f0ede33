// SPDX-License-Identifier: Apache-2.0
#include "threads/guests.hpp"

#include <algorithm>

#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

std::size_t guests::come_in(std::optional<std::uint64_t> opening) {
  const std::scoped_lock lock(mutex_);
  const std::size_t before = joined_.load(std::memory_order_relaxed);
  if (!open_ || opening.value_or(openings_) != openings_ || before == most_) return 0;
  ++inside_;
  joined_.store(before + 1, std::memory_order_release);  // pairs with the acquire in there
  return before + 1;
}

std::size_t guests::serve(std::size_t self) {
  threads_[self].store(this_thread(), std::memory_order_relaxed);
  const std::size_t jobs = crew_.serve(self);
  threads_[self].store(0, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  if (--inside_ == 0) all_gone_.notify_all();
  return jobs;
}

bool guests::one_joins_this_thread() const noexcept {
  // relaxed: whoever asks looks again and again
  return std::ranges::any_of(threads_, [](const std::atomic<pid_t>& id) {
    const pid_t thread = id.load(std::memory_order_relaxed);
    return thread != 0 && joins_this_thread(thread);
  });
}

std::optional<std::uint64_t> guests::open() {
  const std::scoped_lock lock(mutex_);
  if (open_) return std::nullopt;
  open_ = true;
  return ++openings_;
}

void guests::close() noexcept {
  std::unique_lock lock(mutex_);
  open_ = false;
  for (std::size_t i = joined_.load(std::memory_order_relaxed); i > 0; --i) crew_.dismiss(i);
  all_gone_.wait(lock, [&] { return inside_ == 0; });
  joined_.store(0, std::memory_order_relaxed);
}

}  // namespace pleat::detail
