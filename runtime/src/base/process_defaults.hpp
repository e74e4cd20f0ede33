// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/channels/detail/language.hpp>

#include <cstddef>

namespace pleat::detail {

/// Defaults that only the project's own tool and tests change, before they make a machine.
struct process_defaults {
  bool thread_each = false;      // of thread_options::each
  bool claim_cores = true;       // a machine takes cores that no other one of this user has
  bool reads_neighbours = true;  // ranks of a node share memory
  std::size_t cache_bytes = 0;   // of cache to count on; 0: those of the host
};
PLEAT_API inline constinit process_defaults defaults;

}  // namespace pleat::detail
