// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "rank_group.hpp"
#include "shared_file.hpp"
#include "tool/output_file.hpp"
#include "tool/unfinished_files.hpp"

namespace pleat::bench {

/// A file that all ranks write, and that appears whole or not at all: an output_file of rank 0,
/// whose temporary file all ranks write to by MPI-IO. If a rank throws, or a signal ends rank 0,
/// the temporary file is removed; if rank 0 is killed, it is left behind, and the target as it was.
///
/// Collective, as rank_group is. Throws: pleat::error naming the target, as output_file does; if a
/// rank does not see the temporary file, because its folder is another one there; what MPI says.
class distributed_output {
 public:
  distributed_output(const rank_group& all, std::string target);

  /// Writes what rank 0 gives before the data, and the data, of `bytes` bytes in all: from each
  /// rank a block, whose `place` counts from the first byte of the data on. Requires and costs what
  /// shared_file::write does.
  void write(std::string_view preamble, std::size_t bytes, std::span<const std::byte> block,
             rows_of_file place);
  /// Gives the file the target's name.
  void commit();

 private:
  const rank_group& all_;
  std::string target_;
  std::optional<signals_aside> aside_;  // these two are rank 0's
  std::optional<output_file> file_;
  std::string temporary_;
};

}  // namespace pleat::bench
