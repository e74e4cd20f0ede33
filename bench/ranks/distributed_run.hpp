// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/machine.hpp>

#include "arrays/distributed_numbers.hpp"
#include "chosen_run.hpp"
#include "distributed_output.hpp"
#include "measure/clock.hpp"
#include "rank_group.hpp"
#include "tool/command_line.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/memory_arguments.hpp"
#include "tool/npy_input.hpp"

namespace pleat::bench {

/// The options that all programs over ranks have in common.
struct distributed_arguments {
  std::vector<std::string> inputs;
  std::string output;
  machine_arguments machine;
  memory_arguments memory;

  /// One input.
  void add_input(tool_command& program, const std::string& help);
  void add_to(tool_command& program, const std::string& output_help);

  /// The first input's name.
  [[nodiscard]] const std::string& input() const { return inputs.front(); }
};

/// Run from one .npy file to another over ranks, each of which reads and writes its block alone.
/// Collective, as rank_group is.
class distributed_run {
 public:
  /// Reads the headers of the inputs.
  /// Throws: as npy_input; usage_error for a standard stream; pleat::error if an input is a pipe,
  /// or not the same on all ranks.
  distributed_run(const rank_group& all, const distributed_arguments& asked, npy_dimensions wanted);

  [[nodiscard]] const npy_contents& input(std::size_t which = 0) const {
    return inputs_[which]->contents();
  }

  /// Begins before the work: the result, an array of this type and shape; the machine. Throws: as
  /// distributed_output, the arguments and pleat::machine do.
  void begin(std::string descr, const number_type& type, std::vector<std::size_t> shape);
  [[nodiscard]] pleat::machine& on() { return *on_; }

  /// A rank's block of the input; and, when all have theirs, the time starts.
  [[nodiscard]] arrays::block_reader reader();
  /// The time ends; and the block becomes part of the result's temporary file.
  [[nodiscard]] arrays::block_writer writer();

  /// Reads the numbers of a matrix that lie in these rows and columns.
  void read(std::size_t which, std::span<std::byte> numbers, const interval<>& rows,
            const interval<>& columns);
  void write(std::span<const std::byte> numbers, const interval<>& rows, const interval<>& columns);

  /// The result gets its name, and rank 0 says on stderr what was `done`.
  void finish(const std::string& done);

 private:
  void check_same(const std::string& name, const npy_contents& array) const;
  void write(std::span<const std::byte> numbers, const rows_of_file& place);

  const rank_group& all_;
  const distributed_arguments& asked_;
  std::vector<std::unique_ptr<npy_input>> inputs_;
  npy_contents result_;
  std::optional<distributed_output> output_;
  std::unique_ptr<pleat::machine> on_;
  benchmark_clock::time_point start_;
  double seconds_ = 0;
};

}  // namespace pleat::bench
