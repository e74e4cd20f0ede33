// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fstream>
#include <unistd.h>

#include "base/sanitizer.hpp"

/// A sanitizer's runtime says what is allocated: it keeps what was freed for a while.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();

/// Memory of this process: resident, or allocated where a sanitizer is at work.
inline std::size_t memory_in_use() {
  if constexpr (pleat::detail::sanitized) {
    return __sanitizer_get_current_allocated_bytes();
  } else {
    std::size_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }
}
