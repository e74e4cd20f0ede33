// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pleat::bench {

struct child_result {
  int exit_code = 0;   ///< 128 + the signal if one ended it
  std::string output;  ///< its standard output
};

/// Runs a program and waits for it: standard input empty, standard output kept, standard error
/// passed through. `environment` is set for it over this process's own.
///
/// If this process is ended by a signal meanwhile, a terminal sends it to both; a child of ours
/// also ends when its parent is gone (end_with_parent).
/// Throws: pleat::environment_error if the program cannot be started.
[[nodiscard]] child_result run_child(
    const std::filesystem::path& program, const std::vector<std::string>& arguments,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

/// While there is one of these, SIGINT, SIGTERM and SIGHUP do not end this process: they are passed
/// on to the program that run_child waits for, so that what it ends with can still be reported.
/// Requires: at most one at a time.
class interruptions_passed_on {
 public:
  interruptions_passed_on();
  interruptions_passed_on(const interruptions_passed_on&) = delete;
  interruptions_passed_on& operator=(const interruptions_passed_on&) = delete;
  ~interruptions_passed_on();

  /// The last of these signals that came; 0 if none did.
  [[nodiscard]] static int signal();
};

/// In the child: asks the kernel to end this process when its parent ends.
void end_with_parent();

/// The program of that name which belongs to this one: in the same folder (a build tree) or in
/// ../libexec/pleat (an installation), relative to where this executable really is.
/// Throws: pleat::environment_error naming both places.
[[nodiscard]] std::filesystem::path companion_program(const std::string& name);

}  // namespace pleat::bench
