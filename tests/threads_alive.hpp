// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

/// Number of threads of this process.
inline std::ptrdiff_t threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// Number of threads, once there are no more than `most` of them: the kernel lists a thread for a
/// moment after it was joined. Gives up after ten seconds.
inline std::ptrdiff_t threads_left(std::ptrdiff_t most) {
  using clock = std::chrono::steady_clock;
  for (const auto end = clock::now() + std::chrono::seconds(10); clock::now() < end;) {
    if (threads_alive() <= most) break;
    std::this_thread::yield();
  }
  return threads_alive();
}
