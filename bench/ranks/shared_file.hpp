// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <span>
#include <string>

namespace pleat::bench {

class rank_group;

/// Place of a block in a file: rows of `width` bytes, the first at `offset`, each `stride` bytes
/// behind the one before.
struct rows_of_file {
  std::size_t offset, width, stride;
};

/// A file that all ranks have open to write, by MPI-IO. Functions are collective, as those of
/// rank_group are: if one rank fails, all throw.
///
/// Throws: pleat::error naming the `target` that the file is for, with what MPI says.
class shared_file {
 public:
  shared_file(const rank_group& all, const std::string& name, std::string target);
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;
  ~shared_file();

  /// Writes each rank's block, row by row. Requires: no two have a byte in common. Cost: one
  /// collective operation for each 1 GiB of the largest block.
  void write(std::span<const std::byte> block, const rows_of_file& place);
  /// Closes the file when all is on the disk.
  void finish();

 private:
  void look_at(const rows_of_file& rows, std::size_t bytes);
  [[nodiscard]] int write_piece(std::span<const std::byte> piece, std::size_t offset);
  void require(int code) const;

  const rank_group& all_;
  std::string target_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace pleat::bench
