// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstdint>
#include <locale.h>

namespace pleat::detail {

/// State of a thread that affects results: the rounding of floating-point numbers, the flushing
/// of subnormal numbers to zero, the exceptions that trap, and the locale of uselocale. A run
/// copies the state of its caller to the workers, and raises the workers' exceptions in the caller
/// (on x86 those of SSE). On processors other than x86 and AArch64 only the rounding mode and the
/// locale are copied.
struct thread_environment {
  // Control bits. On x86: x87 in the high half, SSE in the low half. On AArch64: FPCR.
  std::uint32_t numbers = 0;
  locale_t locale = LC_GLOBAL_LOCALE;

  /// Reads the state of the calling thread. Cost: some instructions.
  [[nodiscard]] static thread_environment current() noexcept;
  /// Restores this state in the calling thread; exceptions that it has raised stay raised.
  /// Cost: that of current() if nothing has changed.
  void restore() const noexcept;
};

/// Returns the floating-point exceptions that the calling thread has raised, with the bits of
/// <cfenv>.
[[nodiscard]] int raised_exceptions() noexcept;
/// Marks exceptions as raised by the calling thread; on x86 and AArch64 without a trap.
void mark_raised(int exceptions) noexcept;

/// Sets the environment of the calling thread until destruction, with no exception raised.
class environment_scope {
 public:
  explicit environment_scope(const thread_environment& wanted) noexcept;
  ~environment_scope();
  environment_scope(const environment_scope&) = delete;
  environment_scope& operator=(const environment_scope&) = delete;

 private:
  const thread_environment own_;
  const int raised_;
};

}  // namespace pleat::detail
