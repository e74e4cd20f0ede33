// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collective_data.hpp"
#include "measure/big_block.hpp"

namespace pleat::bench {

/// One collective operation as MPI_COMM_WORLD performs it, by the operation of that name; this
/// rank's part and memory. All ranks make and use theirs alike.
class mpi_collective {
 public:
  explicit mpi_collective(const collective_share& mine);

  /// Untimed: the input, another one for every seed.
  void prepare(std::uint64_t seed) const { mine_.fill_input(input(), seed); }
  /// The operation. MPI ends the program if it fails.
  void perform() const;
  /// Performs it on a spoilt result, and looks at every element of it.
  [[nodiscard]] std::optional<std::string> verify(std::uint64_t seed) const;

 private:
  [[nodiscard]] std::span<std::byte> input() const;
  [[nodiscard]] std::span<std::byte> result() const;

  collective_share mine_;
  big_block input_, result_;
  std::vector<int> counts_, begins_;
};

}  // namespace pleat::bench
