// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/topology.hpp>

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

/// Throws: pleat::usage_error if the machine does not have the nodes that the policy means. Whether
/// this process may use them is seen when memory is placed.
void require_nodes(const memory_policy& policy, const topology& on);

/// `--memory POLICY` and `--pages SIZE`: where memory is, as --place says where threads are. Unset
/// ones are left to PLEAT_MEMORY, and then to pleat::memory_policy.
struct memory_arguments {
  std::optional<std::string> memory;
  std::optional<std::string> pages;

  void add_to(tool_command& command);

  /// The policy asked for, on that machine. `--memory` with a size of pages behind it, as in
  /// bind:1/4k, goes without `--pages`.
  /// Throws: pleat::usage_error for text that is no policy or no size, for two sizes, and for a
  /// node that the machine does not have.
  [[nodiscard]] memory_policy policy(const topology& on) const;
};

/// The options of commands that show a machine without running anything on it: the host, or a
/// machine that is described.
struct topology_arguments {
  std::optional<std::string> synthetic, xml;

  void add_to(tool_command& command);

  /// Throws: as topology::synthetic and described_topology do.
  [[nodiscard]] pleat::topology topology() const;
};

/// topology::xml of a file that may be damaged. hwloc ends the process on some of them, so a child
/// process reads the file first.
///
/// Throws: pleat::error naming the file if the child does not survive it or takes more than ten
/// seconds; else as topology::xml does.
/// Requires: no other threads in this process, since it forks.
[[nodiscard]] topology described_topology(const std::filesystem::path& file);

}  // namespace pleat::bench
