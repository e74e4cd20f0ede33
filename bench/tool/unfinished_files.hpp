// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace pleat::bench {

/// Remembers a file that must not outlive the process unless it is finished. From the first call
/// on, a signal that would end the process (Ctrl-C, a kill, a closed terminal or pipe) removes all
/// remembered files first and then ends it as it would have.
///
/// Requires: `path` stays valid until forget_unfinished_file; at most eight at a time.
/// Thread safety: any thread.
void remember_unfinished_file(const char* path);
void forget_unfinished_file(const char* path);

/// Lets another thread take, as long as it lives, the signals that remove unfinished files. The
/// calling thread may be in a call of the kernel that waits for a disk and is not interrupted, for
/// longer than launchers of MPI wait between SIGTERM and SIGKILL. Threads and processes that the
/// calling one begins meanwhile block these signals.
class signals_aside {
 public:
  signals_aside();
  signals_aside(const signals_aside&) = delete;
  signals_aside& operator=(const signals_aside&) = delete;
  ~signals_aside();

 private:
  sigset_t before_;
};

}  // namespace pleat::bench
