// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pleat::bench {

/// Remembers a file that must not outlive the process unless it is finished. From the first call
/// on, a signal that would end the process (Ctrl-C, a kill, a closed terminal or pipe) removes all
/// remembered files first and then ends it as it would have.
///
/// Requires: `path` stays valid until forget_unfinished_file; at most eight at a time.
/// Thread safety: any thread.
void remember_unfinished_file(const char* path);
void forget_unfinished_file(const char* path);

}  // namespace pleat::bench
