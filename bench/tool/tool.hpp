// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "command_line.hpp"
#include "outcome.hpp"
#include "studies.hpp"

namespace pleat::bench {

/// Writes data to standard output; all else goes to standard error.
void print_data(std::string_view text);

/// Carries out a program of the tool: prepares its environment, complains of what went wrong, sees
/// that all data is written. Returns the exit code.
int exit_code_of(const std::function<outcome()>& program);

// One function a command: adds it to the tool with its options, its help and what it does. A
// command that fails throws: pleat::usage_error (exit 2), any other exception (exit 1).
void add_topology_command(tool_command& tool);
void add_place_command(tool_command& tool);
void add_run_command(tool_command& tool);
void add_sweep_command(tool_command& tool);
void add_report_command(tool_command& tool);
void add_compare_command(tool_command& tool);
void add_evaluate_command(tool_command& tool);
void add_predict_command(tool_command& tool);
void add_probe_command(tool_command& tool);
void add_matrix_command(tool_command& tool);
void add_schedule_command(tool_command& tool);

}  // namespace pleat::bench
