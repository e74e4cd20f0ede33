// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collective_data.hpp"
#include "measure/big_block.hpp"

namespace pleat::bench {

/// Collective operation performed by the MPI function of that name on MPI_COMM_WORLD: this rank's
/// arguments and buffers. Every rank makes one and calls the same members in the same order.
class mpi_collective {
 public:
  explicit mpi_collective(const collective_share& mine);

  /// Fills the input, which depends on the seed. Not timed.
  void prepare(std::uint64_t seed) const { mine_.fill_input(input(), seed); }
  /// Performs the operation. MPI ends the program if it fails.
  void perform() const;
  /// Overwrites the result with wrong values, performs the operation and checks every element.
  /// Returns the first error found.
  [[nodiscard]] std::optional<std::string> verify(std::uint64_t seed) const;

 private:
  [[nodiscard]] std::span<std::byte> input() const;
  [[nodiscard]] std::span<std::byte> result() const;

  collective_share mine_;
  big_block input_, result_;
  std::vector<int> counts_, begins_;
};

}  // namespace pleat::bench
