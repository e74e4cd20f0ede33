// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/sanitizer.hpp"

namespace faults {

/// Ends the process, saying what was under way, if nobody calls `watch` again within a minute (in a
/// sanitized build, five).
class watchdog {
 public:
  watchdog() {
    struct sigaction action {};
    action.sa_handler = [](int) {
      // Only what a signal handler may do.
      static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text)));
      std::abort();
    };
    ::sigaction(SIGALRM, &action, nullptr);
  }
  ~watchdog() { ::alarm(0); }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  void watch(const char* what, std::size_t step) {
    std::snprintf(text, sizeof text, "a hang: %s, step %zu\n", what, step);
    ::alarm(pleat::detail::sanitized ? 300 : 60);
  }

 private:
  inline static char text[300];
};

}  // namespace faults
