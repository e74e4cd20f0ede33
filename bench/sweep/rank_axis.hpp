// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep_axes.hpp"

namespace pleat::bench {

/// The numbers of ranks of a sweep, and the MPI whose processes they are.
struct rank_axis {
  std::vector<unsigned> counts;
  std::string mpi;
};

/// More on one machine say nothing of anything.
inline constexpr unsigned most_ranks = 64;

/// Axis of ranks that the axes ask for; none if they want none. `programs`: those of the sweep.
///
/// Throws: pleat::usage_error for counts that are none or more than most_ranks, for axes that ranks
/// do not have (place, hardware threads), for programs without distributed data;
/// pleat::environment_error if the MPI, or any, is not here.
[[nodiscard]] std::optional<rank_axis> rank_axis_of(const sweep_axes& axes,
                                                    std::span<const std::string> programs);

}  // namespace pleat::bench
