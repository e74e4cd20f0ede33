// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/child_process.hpp"
#include "sweep_axes.hpp"

namespace pleat::bench {

/// An MPI that is here: what starts its processes, and the tool that is linked with it.
struct rank_launcher {
  std::string name;                ///< openmpi or mpich
  std::filesystem::path launcher;  ///< its mpirun
  std::filesystem::path tool;      ///< pleat-openmpi or pleat-mpich
};

/// Finds that MPI; with an empty name the first of which both are here.
///
/// Throws: pleat::usage_error for another name; pleat::environment_error that says what is missing.
[[nodiscard]] rank_launcher find_mpi(const std::string& name);

/// A command line, and what the environment has besides.
struct rank_launch {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  environment_changes environment;
};

/// Starts so many ranks of the tool with these arguments, on this machine. Standard input is that
/// of the first rank. `crowded`: there are more workers than processors, so what waits yields.
[[nodiscard]] rank_launch launch_ranks(const rank_launcher& with, unsigned ranks, bool crowded,
                                       const std::vector<std::string>& arguments);

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
