// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/runtime/machine.hpp>

#include "command_line.hpp"
#include "machine_arguments.hpp"
#include "npy.hpp"
#include "pleat_problems.hpp"

namespace pleat::bench {

/// Parts that all programs of `pleat run` have in common: where the result goes, the machine and
/// its memory, the trace.
struct program_run {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<std::string> trace;
  bool verbose = false;
  machine_arguments machine;
  memory_arguments memory;

  /// One input: `--input F.npy`.
  void add_input(tool_command& program, const std::string& help);

  /// `output_help` says what the result is.
  void add_to(tool_command& program, const std::string& output_help);

  /// Reads an input; says on stderr what follows the array in the file. No input is read before
  /// check_files has found that inputs, output and trace go together.
  /// Throws: as check_files and read_npy do.
  [[nodiscard]] npy_array read(std::size_t which, npy_dimensions wanted) const;

  /// The machine, made when it is first asked for: arrays for it have their pages where its memory
  /// policy says. Throws: as the arguments and pleat::machine do.
  [[nodiscard]] pleat::machine& on() const;

  /// The first input's name.
  [[nodiscard]] const std::string& input() const { return inputs.front(); }

  /// Runs `work` on the machine, timed, writes `result` and the timeline, and says on stderr what
  /// was `done`: "sorted 3 elements". Places that cannot be written are found out before the work.
  /// Throws: as output_file, machine and the work do; then no file has changed.
  void carry_out(std::string_view program, const npy_array& result, const std::string& done,
                 const std::function<run_report(pleat::machine&)>& work) const;

 private:
  mutable std::unique_ptr<pleat::machine> on_;
};

// run_PROBLEM.cpp of each problem: adds its program to `pleat run`.
#define PLEAT_DECLARED(problem) void add_run_##problem(tool_command& command);
PLEAT_RUN_PROBLEMS(PLEAT_DECLARED)
#undef PLEAT_DECLARED

}  // namespace pleat::bench
