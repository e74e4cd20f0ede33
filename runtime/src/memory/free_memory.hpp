// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/runtime/memory_policy.hpp>

#include "memory/memory_binding.hpp"

namespace pleat::detail {

/// Checks whether `bytes`, of which each worker touches an equal part, fit on the nodes to which
/// the workers' pages are bound. The kernel reports this too late: it kills a process whose page
/// has no place. Throws environment_error that names the node.
PLEAT_API void require_free_memory(std::span<const page_placement> of_workers, std::size_t bytes,
                                   memory_policy::pages size);

}  // namespace pleat::detail
