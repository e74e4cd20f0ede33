// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace pleat::bench {

/// Calls work(i) at the same time on every one of these PUs (the operating system's indexes), each
/// on a thread that may run nowhere else: i is the place in the list, and thread 0 is the caller,
/// whose own affinity is restored. Returns when all have returned.
///
/// Requires: at least one PU; a call of work that throws has released those that wait for it.
/// Cost: some 50 µs a thread. Throws: environment_error if the kernel refuses one of the PUs, and
/// std::system_error if it starts no more threads; then work is not called at all. What calls of
/// work throw, the first in the list.
void run_pinned(std::span<const unsigned> pus, const std::function<void(std::size_t)>& work);

}  // namespace pleat::bench
