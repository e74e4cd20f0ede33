// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "command_line.hpp"

// Commands of the tool that a program of its own, pleat-studies, carries out. The first build that
// a user waits for has `topology`, `run`, `sweep` and `predict`.
namespace pleat::bench {

/// Adds one of these commands, with its help: to pleat-studies, which gives it options and an
/// action, or to `pleat`, which lists it.
tool_command add_study(tool_command& tool, std::string_view name);

/// Goes on as pleat-studies, with the same words, if the first of them is one of its commands; else
/// returns. Throws: environment_error if that program is not there.
void go_on_as_studies(int argc, char** argv);

}  // namespace pleat::bench
