// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/topology.hpp>

#include "command_line.hpp"

namespace pleat::bench {

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

}  // namespace pleat::bench
