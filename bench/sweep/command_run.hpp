// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pleat::bench {

/// Observations of a command while it ran, by the kernel's counters; what the kernel does not tell
/// is none.
struct command_seen {
  unsigned threads = 0;                          ///< the most at once
  std::string pus;                               ///< on which it may run, as "0-1"
  std::optional<std::uint64_t> migrations = {};  ///< of all its threads
  std::map<unsigned, std::uint64_t> bytes_on_node = {};
};

/// Run of a command that has ended.
struct command_run {
  double seconds = 0;      ///< from the start of its process to its end
  double cpu_seconds = 0;  ///< of all its threads and of children it waited for
  double peak_bytes = 0;   ///< of memory, the largest of these processes
  std::string output;      ///< standard output and standard error
};

/// Runs a command to its end, with nothing to read. The process inherits the affinity and the
/// memory policy of the caller, and ends with it. If `seen` is not null, looks at it meanwhile,
/// which costs time.
/// Throws: pleat::environment_error if it cannot be started; pleat::error if it does not end with
/// exit code 0, with the last line that it has printed.
[[nodiscard]] command_run run_command(const std::vector<std::string>& words,
                                      command_seen* seen = nullptr);

}  // namespace pleat::bench
