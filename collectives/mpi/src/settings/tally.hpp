// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "settings/operation.hpp"

namespace pleat::preloaded {

// Counts of this process, for PLEAT_MPI_COLLECTIVES=report. Thread safety: any thread.

/// Counts a call that was carried out here, or by the MPI.
void count_call(operation what, bool ours) noexcept;
/// Counts a message of ours that was sent.
void count_message(operation what, std::size_t bytes) noexcept;

/// Prints them when the process ends.
void report_at_exit();

}  // namespace pleat::preloaded
