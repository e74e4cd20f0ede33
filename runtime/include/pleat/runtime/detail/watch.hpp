// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace pleat::detail {

class watch;

/// Watch of the call that the calling thread works for; null if there is none.
PLEAT_API inline thread_local constinit watch* current_watch = nullptr;

/// Scope in which the thread's calls of the library call a function about every `period`: at
/// supersteps, while they wait, and in long kernels. If the function throws, runs end with that
/// exception, and kernels early; what the call was to write is unspecified.
///
/// ```cpp
/// pleat::detail::watch looking(look);
/// pleat::sort(machine, keys);
/// looking.rethrow();
/// ```
///
/// Cost: one clock reading a call, and one for some virtual processors that are resumed. Thread
/// safety: over() may be called by all workers of the call, the rest by the thread that made it.
class watch {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds period{200};

  explicit watch(std::function<void()> look)
      : look_(std::move(look)), outer_(std::exchange(current_watch, this)) {}
  ~watch() { current_watch = outer_; }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;

  /// Tells whether the function has thrown. Calls it if the period is over, on the thread that made
  /// the watch.
  [[nodiscard]] bool over() noexcept {
    // relaxed: workers that see it only stop
    if (failed_.load(std::memory_order_relaxed)) return true;
    if (&current_watch != owner_) return false;
    const clock::time_point now = clock::now();
    if (now < next_) return false;
    next_ = now + period;
    try {
      look_();
      return false;
    } catch (...) {
      failure_ = std::current_exception();
    }
    failed_.store(true, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  /// Throws what the function has thrown, if anything.
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

  /// [label]: supersteps that VP 0 of the run under way has performed; empty outside a run.
  std::span<const std::uint64_t> supersteps;

 private:
  const std::function<void()> look_;
  watch* const outer_;
  watch* const* const owner_ = &current_watch;  // the thread's own
  clock::time_point next_ = clock::now() + period;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

/// Tells whether the call under way is to end, so that its kernel may return early: for kernels
/// that take longer than some milliseconds, and whose result may then be anything.
[[nodiscard]] inline bool given_up() noexcept {
  return current_watch != nullptr && current_watch->over();
}

/// Function that a binding to another language sets, to tell the library's warnings in its way; it
/// may throw. Null: they are lines on standard error.
PLEAT_API inline constinit std::atomic<void (*)(const char* text)> tell_warning = nullptr;

inline void warn(const std::string& text) {
  if (const auto tell = tell_warning.load())
    tell(text.c_str());
  else
    std::fprintf(stderr, "pleat: warning: %s\n", text.c_str());
}

}  // namespace pleat::detail
