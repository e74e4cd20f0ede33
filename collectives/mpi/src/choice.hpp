// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "operation.hpp"

namespace pleat::preloaded {

/// Cost of messages between ranks: start + per_byte · bytes, in seconds; to combine two bytes that
/// are there costs `combining`. The defaults are those of a network of 100 Gbit/s; `mpi tune` of
/// the tool measures them.
struct rank_message_cost {
  double start = 2e-6;
  double per_byte = 1e-10;
  double combining = 1e-10;
};

/// Calls on a communicator that are carried out here, and their numbers of blocks. Equal on all of
/// its ranks, or they would wait for each other for ever.
struct choice {
  /// Bit k of an operation: messages of 2^k … 2^(k+1) − 1 bytes are ours.
  std::array<std::uint64_t, operations> sizes{};
  rank_message_cost cost;
  std::uint64_t blocks = 0;  ///< of every operation; 0: by cost
  bool by_nodes = false;     ///< only where the communicator spans more than one node

  [[nodiscard]] bool ours(operation what, std::size_t bytes) const noexcept;
};

/// Sizes of a call: bytes of all parts together and of the longest, which of a broadcast or a
/// reduction are the same.
struct message_bytes {
  std::size_t total;
  std::size_t longest;
};

/// The number n of blocks with which a call takes the least time among p ranks. Its n − 1 + q
/// rounds, q = ⌈log2 p⌉, begin a message each, and each rank receives all bytes once whatever n
/// is; but a block of the longest part goes through q rounds one after the other. The time is
/// (n − 1 + q) · start + per_byte · (total + (q − 1) · longest / n), so that
/// n = √((q − 1) · per_byte · longest / start). At most `most`, at least 1 and so many that no
/// message exceeds 1 GiB.
[[nodiscard]] std::size_t best_blocks(const choice& by, operation what, message_bytes bytes,
                                      std::size_t ranks, std::size_t most) noexcept;

/// The sizes for which more than one block pays. With one block the rounds are those of the trees
/// every MPI has.
[[nodiscard]] std::uint64_t sizes_by_cost(const rank_message_cost& cost, operation what,
                                          std::size_t ranks) noexcept;

}  // namespace pleat::preloaded
