// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace pleat::preloaded {

/// Coroutine that carries out a collective call, or a part of one: it is suspended where it waits
/// for messages. It begins when it is awaited, or resumed, which happens once. An exception that
/// leaves it passes to its awaiter, or to result(). Making it throws std::bad_alloc. It may end on
/// another thread than it began on, and be destroyed while it is suspended.
class [[nodiscard]] task {
  struct to_awaiter;

 public:
  struct promise_type {
    std::coroutine_handle<> awaiter = std::noop_coroutine();
    std::exception_ptr failure;

    task get_return_object() noexcept { return task(handle::from_promise(*this)); }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] to_awaiter final_suspend() const noexcept;
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { failure = std::current_exception(); }
  };

  task(task&& from) noexcept : handle_(std::exchange(from.handle_, nullptr)) {}
  task& operator=(task&&) = delete;
  ~task() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] std::coroutine_handle<> where() const noexcept { return handle_; }
  [[nodiscard]] bool has_ended() const noexcept { return handle_.done(); }
  /// Requires: it has ended. Throws: what left it.
  void result() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }
  [[nodiscard]] auto operator co_await() const noexcept { return begun{this}; }

 private:
  using handle = std::coroutine_handle<promise_type>;

  struct to_awaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(handle ended) const noexcept {
      return ended.promise().awaiter;
    }
    void await_resume() const noexcept {}
  };
  struct begun {
    const task* of;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(
        std::coroutine_handle<> awaiter) const noexcept {
      of->handle_.promise().awaiter = awaiter;
      return of->handle_;
    }
    void await_resume() const { of->result(); }
  };

  explicit task(handle made) noexcept : handle_(made) {}

  handle handle_;
};

inline task::to_awaiter task::promise_type::final_suspend() const noexcept { return {}; }

/// Work of a collective call whose arguments have been examined: carried out once or, in a
/// persistent call, several times on the same communicator; or nothing, if the call is the MPI's.
class plan {
 public:
  plan() = default;
  /// `run()` makes the work's task, which may use `run` until it ends.
  template <class Run>
  requires std::same_as<std::invoke_result_t<Run&>, task> plan(
      Run run)  // NOLINT(google-explicit-constructor): operations return their work
      : work_(std::make_unique<kept<Run>>(std::move(run))) {}

  explicit operator bool() const noexcept { return work_ != nullptr; }
  /// Makes the task. The plan outlives it.
  task operator()() const { return work_->run(); }

 private:
  struct work {
    virtual ~work() = default;
    virtual task run() = 0;
  };
  template <class Run> struct kept : work {
    explicit kept(Run run) : run_(std::move(run)) {}
    task run() override { return run_(); }
    Run run_;
  };

  std::unique_ptr<work> work_;
};

/// Place where a call is suspended, and what it waits for.
class suspension {
 public:
  /// Has a task begin when it is resumed.
  void begin(const task& work) noexcept {
    where_ = work.where();
    over_ = [](void*) noexcept { return true; };
  }
  /// Has a coroutine go on when until.is_over(), which must not throw.
  template <class Wait> void wait(std::coroutine_handle<> where, Wait& until) noexcept {
    where_ = where;
    over_ = [](void* what) noexcept { return static_cast<Wait*>(what)->is_over(); };
    until_ = &until;
  }

  [[nodiscard]] bool may_resume() const noexcept { return over_(until_); }
  /// Goes on until the call waits again or ends.
  void resume() const { where_.resume(); }

 private:
  std::coroutine_handle<> where_;
  bool (*over_)(void*) noexcept = nullptr;
  void* until_ = nullptr;
};

}  // namespace pleat::preloaded
