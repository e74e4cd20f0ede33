// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "command_line.hpp"

namespace pleat::bench {

/// Exception that ends the tool with that exit code; everything there is to say has been said.
struct finished {
  int exit_code;
};

/// Outcome of a command: 0 done, 1 failed, 2 misused; and what is wrong, empty if all has been
/// said.
struct outcome {
  int exit_code = 0;
  std::string why;
};

/// Carries a command out: what it throws becomes its outcome.
[[nodiscard]] outcome outcome_of(const std::function<void()>& command);

/// One line on stderr that says what is wrong, if there is something to say.
void complain(const outcome& end);

/// Adds a command that a program of its own, pleat-studies, carries out, with its help: to
/// pleat-studies, which gives it options and an action, or to `pleat`, which lists it. The first
/// build that a user waits for has only `topology`, `run`, `sweep` and `predict`.
tool_command add_study(tool_command& tool, std::string_view name);

/// Goes on as pleat-studies, with the same words, if the first of them is one of its commands; else
/// returns. Throws: environment_error if that program is not there.
void go_on_as_studies(int argc, char** argv);

/// Writes data to standard output; all else goes to standard error.
void print_data(std::string_view text);

/// Carries out a program of the tool: prepares its environment, complains of what went wrong, sees
/// that all data is written. Returns the exit code.
int exit_code_of(const std::function<void()>& program);

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
