// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <exception>
#include <utility>

#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/runtime/task.hpp>

namespace pleat::detail {

/// Promise of an engine, a task whose first argument is its endpoint.
///
/// While an engine works, other ranks read and write memory of this rank. So its exceptions (of an
/// operator, or because a partner is in another operation) must not unwind the program that owns
/// that memory: they end the run, and the virtual processor stays suspended until all workers have
/// stopped.
///
/// Invariant: it has the alignment of its base promise, so that both are at the same place in a
/// frame. Cost: a comparison at the end of the engine.
struct engine_promise : promise<void> {
  template <class... Rest>
  explicit engine_promise(endpoint& engines_place, const Rest&...) noexcept : on(&engines_place) {}

  struct end_awaiter {
    static bool await_ready() noexcept { return false; }
    template <bool jump = transfers_jump>
    static std::coroutine_handle<> await_suspend(
        std::coroutine_handle<engine_promise> self) noexcept {
      if (current_execution->thrown) [[unlikely]] {
        vp_access::end_run(self.promise().on->me(), self,
                           std::exchange(current_execution->thrown, nullptr));
        return std::noop_coroutine();
      }
      return detail::transfer_to<jump>(self.promise().continuation);
    }
    static void await_resume() noexcept {}
  };
  static end_awaiter final_suspend() noexcept { return {}; }

  endpoint* on;
};
static_assert(alignof(engine_promise) == alignof(promise<void>));

}  // namespace pleat::detail

template <class... Rest>
struct std::coroutine_traits<pleat::task<>, pleat::detail::endpoint&, Rest...> {
  using promise_type = pleat::detail::engine_promise;
};
