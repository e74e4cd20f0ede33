// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <sys/types.h>

namespace pleat::detail {

/// The calling process's id, also in a forked child. Cost: a load, if the kernel can clear a page
/// in children (MADV_WIPEONFORK); else a system call, some 0.1 µs.
[[nodiscard]] PLEAT_API pid_t this_process() noexcept;

/// The kernel's id of the calling thread, also in a forked child.
[[nodiscard]] PLEAT_API pid_t this_thread() noexcept;

/// Tells whether `thread`, of this process, waits for the calling thread in a join without a time
/// limit. The kernel reports the system call of a thread and its arguments; a join in glibc is a
/// futex wait on the id in the descriptor of the joined thread. True is certain; false may also
/// mean that the kernel or the C library does not show it. Cost: some 20 µs.
[[nodiscard]] PLEAT_API bool joins_this_thread(pid_t thread) noexcept;

/// Keeps the shared library, or plugin, that this code is linked into loaded until the process
/// ends: dlclose would unmap the code that workers run. Does nothing for code of the program
/// itself.
PLEAT_API void stay_loaded() noexcept;

/// Hints to the core that this thread is waiting.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();  // as _mm_pause, whose header is as long as all of Pleat's
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace pleat::detail
