// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <pleat/runtime/machine.hpp>

#include "command_line.hpp"
#include "machine_arguments.hpp"
#include "npy.hpp"

namespace pleat::bench {

/// What all programs of `pleat run` have in common: where the result goes, the machine, the trace.
struct program_run {
  std::string output;
  std::optional<std::string> trace;
  machine_arguments machine;

  /// `output_help` says what the result is.
  void add_to(tool_command& program, const std::string& output_help);

  /// Runs `work` on the machine, timed, writes `result` and the timeline, and says on stderr what
  /// was `done`: "sorted 3 elements". Places that cannot be written are found out before the work.
  /// Throws: as output_file, machine and the work do; then no file has changed.
  void carry_out(std::string_view program, const npy_array& result, const std::string& done,
                 const std::function<run_report(pleat::machine&)>& work) const;
};

/// read_npy; says on stderr what follows the array in the file.
[[nodiscard]] npy_array read_input(const std::string& name, npy_dimensions wanted);

/// Its sizes: "2 x 3".
[[nodiscard]] std::string size_text(const npy_array& array);

/// One input: `--input F.npy`.
void add_input(tool_command& program, std::string& input, const std::string& help);

// Each adds its program to `pleat run`.
void add_run_fft(tool_command& command);
void add_run_matmul(tool_command& command);
void add_run_sort(tool_command& command);
void add_run_stencil(tool_command& command);

}  // namespace pleat::bench
