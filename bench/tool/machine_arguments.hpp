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

/// Options of every command that runs something: the number of processors, and their placement.
/// An unset option is read from the environment, as by pleat::machine. If it is unset there too,
/// the process uses all processors that it may.
struct machine_arguments {
  std::optional<std::string> processors;
  std::optional<std::string> place;

  void add_to(tool_command& command,
              const std::string& processors_help = "How many processors (default: all allowed)");

  /// Returns the machine's options: a placement, and a number if one was asked for.
  /// Throws: pleat::usage_error for text that is no number or no placement.
  [[nodiscard]] machine_options options() const;

  /// Returns the number that the option, or else PLEAT_NUM_PROCESSORS, asks for; none if neither.
  [[nodiscard]] std::optional<unsigned> number() const;
};

/// Warns on stderr of conditions that distort figures measured on this machine, with remedies.
void warn_about(const machine& on);

/// Throws: pleat::usage_error if the machine does not have the nodes that the policy means. Does
/// not check whether this process may use them; the placement of memory does.
void require_nodes(const memory_policy& policy, const topology& on);

/// Options `--memory POLICY` and `--pages SIZE`: NUMA nodes of memory, and the size of its pages.
/// If `--memory` is unset, PLEAT_MEMORY gives the policy, else pleat::memory_policy's default does.
struct memory_arguments {
  std::optional<std::string> memory;
  std::optional<std::string> pages;

  void add_to(tool_command& command);

  /// Returns the policy asked for, on that machine. `--memory` may name a size of pages too, as in
  /// bind:1/4k; `--pages` must then name the same size, or be unset.
  /// Throws: pleat::usage_error for text that is no policy or no size, for two different sizes, and
  /// for a node that the machine does not have.
  [[nodiscard]] memory_policy policy(const topology& on) const;
};

/// Options of commands that show a machine without running anything on it. Without an option, it is
/// the host.
struct topology_arguments {
  std::optional<std::string> synthetic, xml;

  void add_to(tool_command& command);

  /// Throws: as topology::synthetic and described_topology do.
  [[nodiscard]] pleat::topology topology() const;
};

/// Calls topology::xml for a file that may be damaged. hwloc ends the process on some such files,
/// so a child process reads the file first.
///
/// Throws: pleat::error naming the file if the child does not survive it or takes more than ten
/// seconds; else as topology::xml does.
/// Requires: no other threads in this process, since it forks.
[[nodiscard]] topology described_topology(const std::filesystem::path& file);

}  // namespace pleat::bench
