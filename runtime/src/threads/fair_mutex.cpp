// SPDX-License-Identifier: Apache-2.0
#include "threads/fair_mutex.hpp"

#include <algorithm>
#include <string>

#include <pleat/runtime/detail/threads.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat::detail {

namespace {

using clock = std::chrono::steady_clock;

/// Time between two checks of a waiting thread whether it waits for itself.
constexpr std::chrono::milliseconds between_checks{50};

/// A patience longer than this is none: a clock cannot count to its end.
constexpr std::chrono::hours for_ever{24 * 365 * 100};

}  // namespace

fair_mutex::fair_mutex(patience longest_wait)
    : patience_(longest_wait > for_ever ? std::nullopt : longest_wait), process_(this_process()) {
  if (patience_ && patience_->count() < 0) {
    throw usage_error("machine_options::patience of " + std::to_string(patience_->count()) +
                      " ms: give 0 to refuse at once, or leave it out to wait for ever");
  }
}

bool fair_mutex::ours() const noexcept { return this_process() == process_; }

bool fair_mutex::mine() const noexcept {
  // relaxed: only this thread stores and removes its id
  return holder_.load(std::memory_order_relaxed) == this_thread();
}

void fair_mutex::lock() {
  if (!ours()) {
    throw usage_error(
        "a machine of the parent process: its threads do not exist after fork; make "
        "a machine in the child");
  }
  const pid_t me = this_thread();
  // relaxed: only this thread stores and removes its id
  if (holder_.load(std::memory_order_relaxed) != me) {
    std::unique_lock lock(mutex_);
    if (holder_.load(std::memory_order_relaxed) == 0) {
      holder_.store(me, std::memory_order_relaxed);
    } else {
      waiter self{me, {}};
      wait(lock, self);
    }
  }
  ++depth_;
}

void fair_mutex::unlock() noexcept {
  if (!ours()) return;  // in a child no other thread needs it, and the mutex may be locked
  if (--depth_ != 0) return;
  const std::scoped_lock lock(mutex_);
  if (first_ == nullptr) {
    holder_.store(0, std::memory_order_relaxed);
    return;
  }
  waiter& next = *first_;
  first_ = next.next;
  holder_.store(next.thread, std::memory_order_relaxed);
  next.woken.notify_one();  // under the lock: `woken` is destroyed once its thread has the lock
}

void fair_mutex::wait(std::unique_lock<std::mutex>& lock, waiter& self) {
  append(self);
  const clock::time_point begun = clock::now();
  while (true) {
    const clock::time_point now = clock::now();
    clock::time_point until = now + between_checks;
    if (patience_) until = std::min(until, begun + *patience_);
    self.woken.wait_until(lock, until);
    if (holder_.load(std::memory_order_relaxed) == self.thread) return;
    if (joined_by_holder()) {
      remove(self);
      throw usage_error(
          "the machine waits for this thread, which asks for the machine: whoever has it joins "
          "this thread, so neither could go on; give this thread a machine of its own, or run "
          "first and join later");
    }
    if (patience_ && clock::now() - begun >= *patience_) {
      remove(self);
      throw environment_error("the machine was busy with another thread's call for " +
                              std::to_string(patience_->count()) +
                              " ms, machine_options::patience: try again, give it more, or use a "
                              "machine of its own for each thread");
    }
  }
}

void fair_mutex::append(waiter& w) noexcept {
  waiter** link = &first_;
  while (*link != nullptr) link = &(*link)->next;
  *link = &w;
}

void fair_mutex::remove(const waiter& w) noexcept {
  waiter** link = &first_;
  while (*link != &w) link = &(*link)->next;
  *link = w.next;
}

bool fair_mutex::joined_by_holder() const noexcept {
  return joins_this_thread(holder_.load(std::memory_order_relaxed)) || (joining_ && joining_());
}

}  // namespace pleat::detail
