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

/// Installed MPI: its launcher, and the tool that is linked with it.
struct rank_launcher {
  std::string name;                ///< openmpi or mpich
  std::filesystem::path launcher;  ///< its mpirun
  std::filesystem::path tool;      ///< pleat-openmpi or pleat-mpich
};

/// Finds the MPI of this name; for an empty name, the first that has both launcher and tool.
///
/// Throws: pleat::usage_error for another name; pleat::environment_error that says what is missing.
[[nodiscard]] rank_launcher find_mpi(const std::string& name);

/// Command line, and the changes to its environment.
struct rank_launch {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  environment_changes environment;
};

/// Returns the command that starts `ranks` ranks of the tool on this machine; rank 0 has its
/// standard input. `crowded`: more workers than processors, so waiting ranks of Open MPI yield.
[[nodiscard]] rank_launch launch_ranks(const rank_launcher& with, unsigned ranks, bool crowded,
                                       const std::vector<std::string>& arguments);

/// Numbers of ranks of a sweep, and the MPI that starts them.
struct rank_axis {
  std::vector<unsigned> counts;
  std::string mpi;
};

/// Greatest number of ranks; more of them on one machine measure nothing useful.
inline constexpr unsigned most_ranks = 64;

/// Returns the axis of ranks that the arguments ask for, if any. `programs`: programs of the sweep.
///
/// Throws: pleat::usage_error for counts that are invalid or more than most_ranks, for axes that
/// ranks do not have (place, hardware threads), for programs not measured over ranks, for an MPI
/// without ranks; pleat::environment_error if the MPI named, or every known MPI, is missing.
[[nodiscard]] std::optional<rank_axis> rank_axis_of(const sweep_axes& axes,
                                                    std::span<const std::string> programs);

}  // namespace pleat::bench
