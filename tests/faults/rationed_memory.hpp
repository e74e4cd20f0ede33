// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace faults {

/// Memory of this process is refused from now on: the allocation number `first` from here, counted
/// over all threads from 0, and if `and_all_after` every later one. Under sanitizers, and with
/// PLEAT_TEST_NEW_ALONE, operator new alone is rationed, else also malloc, oneTBB's allocator and
/// pages of the kernel.
void ration_memory(std::size_t first, bool and_all_after) noexcept;
/// Memory is there again. Returns how many allocations were refused.
std::size_t end_ration() noexcept;

/// Allocation number `first` of the calling thread is refused, counted from 0 from here on; no
/// other.
void ration_thread(std::size_t first) noexcept;
/// Memory is there again. Returns whether it was refused.
bool end_thread_ration() noexcept;

/// Blocks that operator new, oneTBB's allocator and the kernel have given out and not got back.
[[nodiscard]] long blocks_in_use() noexcept;

/// Bytes in blocks of operator new and oneTBB's allocator; under sanitizers of operator new alone.
[[nodiscard]] std::size_t bytes_in_use() noexcept;
/// The most there have been at a time since the last forget_most_bytes.
[[nodiscard]] std::size_t most_bytes_in_use() noexcept;
void forget_most_bytes() noexcept;

}  // namespace faults
