// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep_axes.hpp"

namespace pleat::bench {

/// Numbers of ranks of a sweep, and the MPI that starts them.
struct rank_axis {
  std::vector<unsigned> counts;
  std::string mpi;
};

/// Greatest number of ranks; more of them on one machine measure nothing useful.
inline constexpr unsigned most_ranks = 64;

/// Returns the axis of ranks that the arguments ask for, if any. `programs`: those of the sweep.
///
/// Throws: pleat::usage_error for counts that are invalid or more than most_ranks, for axes that
/// ranks do not have (place, hardware threads), for programs without distributed data;
/// pleat::environment_error if the MPI, or any, is not here.
[[nodiscard]] std::optional<rank_axis> rank_axis_of(const sweep_axes& axes,
                                                    std::span<const std::string> programs);

}  // namespace pleat::bench
