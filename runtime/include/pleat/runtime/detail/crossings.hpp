// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

#include <pleat/runtime/vp.hpp>

// Counts of elements that VPs read from each other in common memory.
namespace pleat::detail {

/// Tells whether the machine traces, so that crossings count.
[[nodiscard]] PLEAT_API bool counts_crossings(const vp& me) noexcept;

/// Counts `count` messages from VP q to `me`, in the superstep of `me`, which reads so many
/// elements from memory of q. It is the opposite of vp::count_crossing: the get, where that is the
/// put. Requires: `me` performs a sync afterwards. Throws: as vp::count_crossing.
PLEAT_API void count_reading(vp& me, std::size_t q, std::size_t count);

}  // namespace pleat::detail
