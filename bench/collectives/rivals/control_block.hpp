// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "collectives/collective.hpp"

namespace pleat::bench {

/// Order of rank 0 to all ranks.
struct mpi_order {
  enum class kind : std::uint32_t { verify, time, end };

  kind what = kind::end;
  collective one;
  std::uint32_t repetitions = 0;
  std::uint64_t seed = 0;
};

/// Memory that all ranks of one run share: orders, a barrier of our own, and each rank's results.
///
/// MPI's own operations would not do. Its broadcast spins, but ranks that wait for an order must
/// leave their processors to others. Its barrier differs from MPI to MPI, but the barrier before a
/// timed operation must be the same for every MPI.
class control_block {
 public:
  /// Requires: `memory` of bytes_for(ranks), all zero, aligned to 128, the same for all ranks.
  /// `yields`: a waiting rank yields its processor, because ranks share processors.
  control_block(std::span<std::byte> memory, std::size_t ranks, std::size_t rank, bool yields);
  [[nodiscard]] static std::size_t bytes_for(std::size_t ranks);

  /// Posts an order and wakes all other ranks. Called by rank 0. Requires: all ranks have passed
  /// the last barrier of the order before.
  void post(const mpi_order& order);
  /// Sleeps in the kernel until there is a new order, and returns it. Called by all other ranks.
  [[nodiscard]] mpi_order next();

  /// Waits until all ranks have called it; spins. Writes before the call are visible to all ranks
  /// after it.
  void barrier();

  /// Tells rank 0 the seconds of this rank, to be read after a barrier.
  void tell_seconds(double seconds) { line(rank_).seconds = seconds; }
  void tell_fault(std::string_view fault);
  [[nodiscard]] double slowest() const;
  /// Fault of the lowest rank that has told one; empty if there is none.
  [[nodiscard]] std::string_view fault() const;

 private:
  struct alignas(128) header {
    std::atomic<std::uint32_t> orders;
    mpi_order order;
  };
  struct alignas(128) rank_line {
    std::atomic<std::uint64_t> arrived;
    double seconds;
    std::array<char, 224> fault;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  [[nodiscard]] rank_line& line(std::size_t rank) const { return lines_[rank]; }

  header* header_;
  rank_line* lines_;
  std::size_t ranks_, rank_;
  bool yields_;
  std::uint64_t epoch_ = 0;
  std::uint32_t orders_ = 0;
};

}  // namespace pleat::bench
