// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "settings/operation.hpp"

namespace pleat::preloaded {

/// Cost of a message between ranks: start + per_byte · bytes, in seconds. A reduction costs
/// `combining` more for each byte. The defaults are those of a network of 100 Gbit/s; `mpi tune` of
/// the tool measures the figures of a machine.
struct rank_message_cost {
  double start = 2e-6;
  double per_byte = 1e-10;
  double combining = 1e-10;
};

/// Window and number of blocks of an operation, which `mpi tune` measures.
struct pipelining {
  std::uint64_t window = 0;  ///< receives, and sends, that a rank has begun at once; 0: the default
  double blocks = 1;         ///< factor to the number of blocks that is cheapest by cost

  static constexpr std::uint64_t most = 256;  ///< window
};

/// Calls on a communicator that this library carries out instead of the MPI, and their numbers of
/// blocks. All ranks of the communicator must have the same choice; otherwise they deadlock.
struct choice {
  /// Sizes by operation: bit k is set if calls of 2^k … 2^(k+1) − 1 bytes are carried out here. The
  /// bytes of an exchange are those of one rank.
  std::array<std::uint64_t, operations> sizes{};
  rank_message_cost cost;
  std::array<pipelining, operations> pipelines{};  ///< by operation
  std::uint64_t blocks = 0;                        ///< of every operation; 0: by cost
  std::uint64_t radix = 0;                         ///< of exchanges; 0: by cost

  [[nodiscard]] bool ours(operation what, std::size_t bytes) const noexcept;
  /// Returns how many receives, and how many sends, a rank begins before it waits for the first.
  [[nodiscard]] std::size_t window(operation what) const noexcept;
  [[nodiscard]] bool any() const noexcept { return sizes != decltype(sizes){}; }
  /// Tells so of a call whose size not all ranks know.
  [[nodiscard]] bool ours_at_every_size(operation what) const noexcept {
    return ~sizes[index(what)] == 0;
  }
};

/// Sizes of a call: the bytes of all parts together, and of the longest part. In a broadcast or a
/// reduction both are the same.
struct message_bytes {
  std::size_t total;
  std::size_t longest;
};

/// Returns the number n of blocks with which a call takes the least time among p ranks. A call has
/// n − 1 + q rounds, q = ⌈log2 p⌉, and starts one message in each. Whatever n is, a rank receives
/// all bytes once; but one block of the longest part passes through q rounds one after the other.
/// So the time is (n − 1 + q) · start + per_byte · (total + (q − 1) · longest / n), which is least
/// for n = √((q − 1) · per_byte · longest / start). In a reduction `combining` is added to
/// `per_byte`. That n is multiplied by the factor of `pipelines`. The result is 1 … `most`, and
/// large enough that no message exceeds 1 GiB unless `most` forbids it.
[[nodiscard]] std::size_t best_blocks(const choice& by, operation what, message_bytes bytes,
                                      std::size_t ranks, std::size_t most) noexcept;

/// Returns the sizes for which more than one block is faster. With a single block the schedule is a
/// tree such as every MPI has. Of exchanges, sizes of p blocks of which one costs less than the
/// start of a message; none of other operations without blocks.
[[nodiscard]] std::uint64_t sizes_by_cost(const rank_message_cost& cost, operation what,
                                          std::size_t ranks) noexcept;

}  // namespace pleat::preloaded
