// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <concepts>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <pleat/runtime/detail/frame_arena.hpp>

namespace pleat {

template <class T = void> class task;

namespace detail {

struct program_ref;

/// Tells whether a symmetric transfer is a jump. Without optimisation and under its sanitizers g++
/// makes a call of it, and then a coroutine that awaits others in a loop overflows the stack. The
/// value may differ between translation units, so it is an argument of the templates below, not a
/// condition in them.
#if defined(__clang__) || \
    (defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__))
constexpr bool transfers_jump = true;
#else
constexpr bool transfers_jump = false;
#endif

/// Result of await_suspend that continues with `next`: the coroutine itself, or, if the transfer
/// would be a call, a coroutine that does nothing; the worker then resumes `next`.
template <bool jump> std::coroutine_handle<> transfer_to(std::coroutine_handle<> next) noexcept {
  if constexpr (jump) return next;
  current_execution->next = next;
  return std::noop_coroutine();
}

[[noreturn]] PLEAT_API void no_coroutine();

/// Requires an awaiter that knows how a virtual processor waits; besides tasks, a task may await
/// only these. They are trivially copyable and have a member type `awaited_by_tasks`.
template <class A>
concept vp_awaiter = requires {
  typename A::awaited_by_tasks;
};

template <class T> constexpr bool is_task = false;
template <class T> constexpr bool is_task<task<T>> = true;

/// Number of bytes to allocate for a frame: a multiple of its alignment, so that the arena can
/// derive the alignment from it. g++ passes such a size. clang does not, but a frame with a local
/// variable aligned to 32 or 64 bytes has at least twice that size.
[[gnu::always_inline]] constexpr std::size_t frame_bytes(std::size_t bytes) noexcept {
#ifdef __clang__
  const std::size_t multiple = bytes < 64 ? 1 : bytes < 128 ? 32 : 64;
  return (bytes + multiple - 1) / multiple * multiple;
#else
  return bytes;
#endif
}

/// Part of every promise that the runtime relies on. It is the first base of each promise, so a
/// handle to any task can be used as a handle to promise_base.
struct promise_base {
  std::coroutine_handle<> continuation{};  // its awaiter; null for a VP's outermost coroutine

  // Inlined, so that the same compiler's rule allocates and frees a coroutine's frame.
  [[gnu::always_inline]] static void* operator new(std::size_t bytes) {
    return allocate_frame(frame_bytes(bytes));
  }
  [[gnu::always_inline]] static void operator delete(void* frame, std::size_t bytes) noexcept {
    deallocate_frame(frame, frame_bytes(bytes));
  }

  static std::suspend_always initial_suspend() noexcept { return {}; }
  // One exception_ptr serves all frames: nothing else runs from here to the awaiter's await_resume.
  static void unhandled_exception() noexcept {
    current_execution->thrown = std::current_exception();
  }
  static void rethrow_if_thrown() {
    if (current_execution->thrown) [[unlikely]]
      std::rethrow_exception(std::exchange(current_execution->thrown, nullptr));
  }

  /// Tells whether unwinding, from the innermost coroutine outwards, has destroyed this coroutine.
  /// Its task must then not destroy it again, but free its memory.
  [[nodiscard]] bool destroyed() const noexcept { return (mark() & 1) != 0; }
  void mark_destroyed(std::size_t bytes) noexcept {
    const std::uintptr_t mark = bytes << 1 | 1;  // no address of a coroutine
    continuation = std::coroutine_handle<>::from_address(
        reinterpret_cast<void*>(mark));  // NOLINT(performance-no-int-to-ptr)
  }
  void free_destroyed(void* frame) const noexcept {
    if (const std::size_t bytes = mark() >> 1; bytes != 0) deallocate_frame(frame, bytes);
  }

  template <class T> static typename task<T>::awaiter await_transform(const task<T>& child);
  template <vp_awaiter A> static A await_transform(A awaiter) noexcept { return awaiter; }
  template <class Foreign>
  requires(!vp_awaiter<std::remove_cvref_t<Foreign>> &&
           !is_task<std::remove_cvref_t<Foreign>>) static std::suspend_never
      await_transform(Foreign&&) noexcept {
    static_assert(vp_awaiter<Foreign>,
                  "a virtual processor awaits tasks, sync, push, pop and the operations of Pleat: "
                  "nobody would resume it from another awaitable");
    return {};
  }

  struct final_awaiter {
    static bool await_ready() noexcept { return false; }
    template <class Promise, bool jump = transfers_jump>
    static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      if (auto next = self.promise().continuation) return detail::transfer_to<jump>(next);
      current_execution->finished_root = self.address();
      return std::noop_coroutine();
    }
    static void await_resume() noexcept {}
  };
  static final_awaiter final_suspend() noexcept { return {}; }

 private:
  [[nodiscard]] std::uintptr_t mark() const noexcept {
    return reinterpret_cast<std::uintptr_t>(continuation.address());
  }
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

/// A coroutine of a virtual processor. A program is a task, and is composed of tasks.
///
/// A task is lazy: its body starts when it is awaited (or, for a VP's outermost task, when the run
/// starts). Control passes by symmetric transfer, so neither nesting nor loops use stack. (If g++
/// compiles with -O1 or -Og, this needs -foptimize-sibling-calls.) `co_await` returns the result or
/// throws what the body threw. Awaiting a task that was awaited or moved from is a usage_error. A
/// task awaits only other tasks and the awaitables of vp and the collectives. Locals may be aligned
/// to 64 bytes. Making a task throws std::bad_alloc, and usage_error outside a run.
///
/// Requires: the VP that made a task awaits it, in the same run. The task may be destroyed later;
/// until then it keeps memory of its run.
///
/// Cost: one frame from the worker's arena, two indirect jumps. Thread safety: none needed; during
/// a run, a task is created and destroyed on the worker of its VP.
template <class T> class [[nodiscard]] task {
 public:
  using promise_type = detail::promise<T>;

  task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (!handle_) return;
    if (handle_.promise().destroyed()) [[unlikely]]
      handle_.promise().free_destroyed(handle_.address());
    else
      handle_.destroy();
  }

  struct awaiter {
    std::coroutine_handle<promise_type> child;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <bool jump = detail::transfers_jump>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) const noexcept {
      child.promise().continuation = parent;
      return detail::transfer_to<jump>(child);
    }
    T await_resume() const { return child.promise().result(); }
  };

  /// Releases the ownership of the coroutine, for the runtime; null if there is none to start.
  std::coroutine_handle<promise_type> release() noexcept {
    if (!startable()) return nullptr;
    return std::exchange(handle_, nullptr);
  }

 private:
  friend promise_type;
  friend detail::promise_base;
  explicit task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  [[nodiscard]] bool startable() const noexcept {
    return handle_ && !handle_.promise().continuation;
  }

  std::coroutine_handle<promise_type> handle_;
};

template <class T>
typename task<T>::awaiter detail::promise_base::await_transform(const task<T>& child) {
  if (!child.startable()) [[unlikely]]
    no_coroutine();
  return {child.handle_};
}

template <class T> task<T> detail::promise<T>::get_return_object() noexcept {
  return task<T>(std::coroutine_handle<promise>::from_promise(*this));
}
inline task<void> detail::promise<void>::get_return_object() noexcept {
  return task<void>(std::coroutine_handle<promise>::from_promise(*this));
}

class vp;

/// A user's program: makes the outermost task of one virtual processor.
struct detail::program_ref {
  void* object = nullptr;
  task<> (*make)(void* object, vp& me) = nullptr;
};

}  // namespace pleat
