// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

namespace pleat::detail {

/// Allocates memory that any thread may free. It comes from oneTBB's scalable allocator; but from
/// the C library in a forked child, where oneTBB's may be locked for ever, and in builds with
/// sanitizers, which check the C library's. A child does not free memory of its parent. `alignment`
/// is a power of two. Throws std::bad_alloc.
[[nodiscard]] PLEAT_API void* take_memory(std::size_t bytes, std::size_t alignment);
/// Frees memory from take_memory; `memory` may be null.
PLEAT_API void give_back_memory(void* memory) noexcept;
/// Makes the allocator return all memory that it keeps to the kernel.
PLEAT_API void give_back_all_memory() noexcept;

}  // namespace pleat::detail
