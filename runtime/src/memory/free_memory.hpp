// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/runtime/memory_policy.hpp>

#include "memory/memory_binding.hpp"

namespace pleat::detail {

/// Looks whether `bytes`, of which each worker touches an equal part, have room on the nodes that
/// the workers' pages are bound to. The kernel itself says so too late: it ends a process whose
/// page has no place. Throws environment_error that names the node.
PLEAT_API void require_free_memory(std::span<const page_placement> of_workers, std::size_t bytes,
                                   memory_policy::pages size);

}  // namespace pleat::detail
