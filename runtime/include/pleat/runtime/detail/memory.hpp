// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

namespace pleat::detail {

/// Memory that any thread may give back, whoever took it: oneTBB's scalable allocator; the C
/// library's in a forked child, where oneTBB's may be locked for ever, and in a build with
/// sanitizers, which can see into it. A child does not give back what its parent took. `alignment`
/// is a power of two. Throws std::bad_alloc.
[[nodiscard]] PLEAT_API void* take_memory(std::size_t bytes, std::size_t alignment);
/// Null is no memory, and may be given back.
PLEAT_API void give_back_memory(void* memory) noexcept;
/// Makes the allocator give back all memory that it keeps.
PLEAT_API void give_back_all_memory() noexcept;

}  // namespace pleat::detail
