// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace pleat::detail {

/// Fresh zeroed pages straight from the kernel, 2 MiB aligned and advised to be huge where the
/// size is worth it. Placed on a NUMA node by whoever touches them first. Throws std::bad_alloc.
[[nodiscard]] std::byte* map_pages(std::size_t bytes);
void unmap_pages(std::byte* first, std::size_t bytes) noexcept;

}  // namespace pleat::detail
