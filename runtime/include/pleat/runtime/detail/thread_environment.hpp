// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <clocale>
#include <cstdint>
#include <locale.h>

namespace pleat::detail {

/// What results depend on that belongs to a thread: how floating-point numbers are rounded, whether
/// subnormal ones are flushed to zero, which exceptions trap; and the locale of uselocale. A run
/// carries those of its caller to the workers, and the exceptions that SSE has raised back. On
/// processors other than x86 it carries the rounding mode alone.
struct PLEAT_API thread_environment {
  std::uint32_t numbers;  // control bits, those of x87 above those of SSE
  locale_t locale;

  /// Of the calling thread. Cost: some ns.
  [[nodiscard]] static thread_environment current() noexcept;
};

/// The floating-point exceptions that the calling thread has raised, as <cfenv> names them.
[[nodiscard]] PLEAT_API int raised_exceptions() noexcept;
/// Marks them as raised by the calling thread; on x86 without a trap.
PLEAT_API void mark_raised(int exceptions) noexcept;

/// As long as it lives the calling thread has the given environment, with no exception raised;
/// afterwards its own. Cost: some ns where both are the same.
class PLEAT_API environment_scope {
 public:
  environment_scope(std::uint32_t numbers, locale_t locale) noexcept;
  ~environment_scope();
  environment_scope(const environment_scope&) = delete;
  environment_scope& operator=(const environment_scope&) = delete;

 private:
  const thread_environment own_;
  const int raised_;
};

}  // namespace pleat::detail
