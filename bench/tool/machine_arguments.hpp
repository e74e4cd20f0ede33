// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <pleat/runtime/machine.hpp>

#include "command_line.hpp"

namespace pleat::bench {

/// The options of every command that runs something: on how many processors, and which.
/// Unset ones are left to the environment (as pleat::machine reads it) and then to what the process
/// may use.
struct machine_arguments {
  std::optional<std::string> processors;
  std::optional<std::string> place;

  void add_to(tool_command& command,
              const std::string& processors_help = "How many processors (default: all allowed)");

  /// With a number if one was asked for, and with a place. Throws: pleat::usage_error for text that
  /// is no number or no placement.
  [[nodiscard]] machine_options options() const;

  /// The number asked for: by the option, else by PLEAT_NUM_PROCESSORS, else none.
  [[nodiscard]] std::optional<unsigned> number() const;
};

/// Says on stderr what will distort figures measured on this machine, and what to do about it.
void warn_about(const machine& on);

}  // namespace pleat::bench
