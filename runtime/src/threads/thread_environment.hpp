// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstdint>
#include <locale.h>

namespace pleat::detail {

/// State of a thread that results depend on: how floating-point numbers are rounded, whether
/// subnormal ones are flushed to zero, which exceptions trap; and the locale of uselocale. A run
/// carries that of its caller to the workers, and the exceptions that SSE has raised back. On
/// processors other than x86 it carries the rounding mode and the locale.
struct PLEAT_API thread_environment {
  std::uint32_t numbers = 0;  // control bits, those of x87 above those of SSE
  locale_t locale = LC_GLOBAL_LOCALE;

  /// Reads that of the calling thread. Cost: some instructions.
  [[nodiscard]] static thread_environment current() noexcept;
  /// Gives it back to the thread it was read from, whose exceptions stay raised.
  /// Cost: as current() if nothing has changed it.
  void restore() const noexcept;
};

/// The floating-point exceptions that the calling thread has raised, as <cfenv> names them.
[[nodiscard]] PLEAT_API int raised_exceptions() noexcept;
/// Marks them as raised by the calling thread; on x86 without a trap.
PLEAT_API void mark_raised(int exceptions) noexcept;

/// Gives the calling thread that environment as long as it lives, with no exception raised.
class PLEAT_API environment_scope {
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
