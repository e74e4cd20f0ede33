// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat::detail {

/// Hints to the core that this thread is waiting.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();  // as _mm_pause, whose header is as long as all of Pleat's
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace pleat::detail
