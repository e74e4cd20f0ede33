// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <pleat/runtime/detail/frame_arena.hpp>

namespace pleat {

template <class T = void> class task;

namespace detail {

/// The part of every promise the runtime relies on. It is the first base of each promise, so a
/// handle to any task can be read as a handle to this.
struct promise_base {
  std::coroutine_handle<> continuation{};  // who awaits us; null for a VP's outermost coroutine

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    deallocate_frame(frame, bytes);
  }

  static std::suspend_always initial_suspend() noexcept { return {}; }
  // From here to the awaiter's await_resume nothing else runs: one place for all frames will do.
  static void unhandled_exception() noexcept {
    current_execution->thrown = std::current_exception();
  }
  static void rethrow_if_thrown() {
    if (current_execution->thrown) [[unlikely]]
      std::rethrow_exception(std::exchange(current_execution->thrown, nullptr));
  }

  struct final_awaiter {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      if (auto next = self.promise().continuation) return next;
      current_execution->finished_root = self.address();
      return std::noop_coroutine();
    }
    static void await_resume() noexcept {}
  };
  static final_awaiter final_suspend() noexcept { return {}; }
};

template <class T> struct promise final : promise_base {
  static_assert(alignof(T) <= 16, "a task's result may be aligned to 16 bytes at most");
  std::optional<T> value;

  task<T> get_return_object() noexcept;
  template <std::convertible_to<T> U> void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T result() {
    rethrow_if_thrown();
    return std::move(*value);
  }
};

template <> struct promise<void> : promise_base {
  task<void> get_return_object() noexcept;
  static void return_void() noexcept {}
  static void result() { rethrow_if_thrown(); }
};

using promise_handle = std::coroutine_handle<promise_base>;

}  // namespace detail

/// A coroutine of a virtual processor: what a program is and what it is composed of.
///
/// Lazy: the body starts when the task is awaited (or, for a VP's outermost task, when the run
/// starts) and control goes over by symmetric transfer, so nesting costs no stack. `co_await` gives
/// the result or throws what the body threw. Await a task once, in the VP that made it.
///
/// Cost: one frame from the worker's arena, two indirect jumps. Thread safety: none needed; a task
/// lives and dies on the worker of its VP.
template <class T> class [[nodiscard]] task {
 public:
  using promise_type = detail::promise<T>;

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (handle_) handle_.destroy();
  }

  struct awaiter {
    std::coroutine_handle<promise_type> child;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) const noexcept {
      child.promise().continuation = parent;
      return child;
    }
    T await_resume() const { return child.promise().result(); }
  };
  /// Requires: a task that was neither moved from nor awaited before.
  awaiter operator co_await() const noexcept { return {handle_}; }

  /// For the runtime: gives the coroutine away.
  std::coroutine_handle<promise_type> release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  friend promise_type;
  explicit task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

template <class T> task<T> detail::promise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<promise>::from_promise(*this));
}
inline task<void> detail::promise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<promise>::from_promise(*this));
}

}  // namespace pleat
