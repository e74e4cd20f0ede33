// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <sys/types.h>

namespace pleat::detail {

/// The calling process's id, in a forked child too. Cost: a load, where the kernel empties a page
/// of ours in children (MADV_WIPEONFORK); else a system call, some 0.1 µs.
[[nodiscard]] PLEAT_API pid_t this_process() noexcept;

/// The kernel's id of the calling thread, in a forked child too.
[[nodiscard]] PLEAT_API pid_t this_thread() noexcept;

/// Tells whether `thread`, of this process, waits for the calling thread in a join without a time
/// limit. The kernel says in which call a thread is and with which arguments; a join in glibc is a
/// futex wait for the thread's id to disappear from its descriptor. True is certain; false may also
/// mean that the kernel or the C library does not tell. Cost: some 20 µs.
[[nodiscard]] PLEAT_API bool joins_this_thread(pid_t thread) noexcept;

/// Keeps the shared library, or plugin, that this code is linked into loaded until the process
/// ends: dlclose would take away the code that workers run. Nothing for the program itself.
PLEAT_API void stay_loaded() noexcept;

}  // namespace pleat::detail
