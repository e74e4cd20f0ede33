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

/// Memory that all ranks of one run share: orders, a barrier of our own, and what each has found.
///
/// MPI's own broadcast and barrier spin, and each MPI's differently: ranks that wait for an order
/// must leave their processors to others, and the barrier before what is timed must be the same
/// whatever MPI is timed.
class control_block {
 public:
  /// Requires: `memory` of bytes_for(ranks), all zero, aligned to 128, the same for all ranks.
  /// `yields`: ranks share processors, so who waits gives its own up.
  control_block(std::span<std::byte> memory, std::size_t ranks, std::size_t rank, bool yields);
  [[nodiscard]] static std::size_t bytes_for(std::size_t ranks);

  /// Rank 0: wakes all others with an order. Requires that they have passed the last barrier of the
  /// one before.
  void post(const mpi_order& order);
  /// The others: sleep in the kernel until there is an order that they have not had.
  [[nodiscard]] mpi_order next();

  /// Waits until all ranks have called it. Spins; what came before it is seen after it.
  void barrier();

  /// Tells rank 0 the seconds of this rank, to be read after a barrier.
  void tell_seconds(double seconds) { line(rank_).seconds = seconds; }
  void tell_fault(std::string_view fault);
  [[nodiscard]] double slowest() const;
  /// The first rank's fault; empty if there is none.
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
