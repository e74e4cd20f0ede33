// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <pleat/runtime/machine.hpp>

#include "machine_arguments.hpp"
#include "npy.hpp"

namespace pleat::bench {

/// What all programs of `pleat run` have in common: where the result goes, the machine, the trace.
struct program_run {
  std::string output;
  std::optional<std::string> trace;
  machine_arguments machine;

  /// `output_help` says what the result is.
  void add_to(CLI::App& program, const std::string& output_help);

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
void add_input(CLI::App& program, std::string& input, const std::string& help);

// Each adds its program to `pleat run`.
void add_run_fft(CLI::App& command);
void add_run_matmul(CLI::App& command);
void add_run_sort(CLI::App& command);
void add_run_stencil(CLI::App& command);

}  // namespace pleat::bench
