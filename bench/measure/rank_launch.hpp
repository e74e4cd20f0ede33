// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "child_process.hpp"

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

}  // namespace pleat::bench
