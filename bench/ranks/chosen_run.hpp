// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tool/command_line.hpp"

namespace pleat::bench {

class rank_group;

/// Function for all ranks that the words on the command line ask for.
using chosen_run = std::function<void(const rank_group&)>;

/// Adds the command `tune`. What it does is left in `chosen`. `tool` is the name of the program.
void add_tune_collectives(tool_command& mpi, const std::string& tool, chosen_run& chosen);

}  // namespace pleat::bench
