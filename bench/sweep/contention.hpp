// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep_case.hpp"

namespace pleat::bench {

/// Factor by which a processor's share of a case takes longer while each of the case's processors
/// has a share of its own than while one has: memory, caches and clock that they have in common.
/// A share is the same program on a machine of one processor, on data that take an equal part of
/// the memory. Times are medians of rounds in which one works, then all; a sample lasts at least
/// `seconds`.
///
/// Returns: at least 1; 1 where processors share a PU. Throws: what prepares and runs the program;
/// std::bad_alloc.
[[nodiscard]] double contention(const sweep_case& at, double seconds);

}  // namespace pleat::bench
