// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <sys/types.h>
#include <vector>

#include <pleat/channels/slot.hpp>

#include "node_rings.hpp"

namespace pleat::mpi {

/// The ranks whose memory this process may read, and those that may read its own: processes of one
/// node, if the system lets them (process_vm_readv). What is lent to them is read where it is, as
/// inside a rank, instead of travelling.
///
/// The lender may have it back at any time: whoever has read it looks afterwards whether it was
/// still lent.
class neighbours {
 public:
  /// Finds them among the ranks of this node with which this one has rings. Collective over both
  /// communicators. Throws: std::bad_alloc; environment_error, if MPI fails.
  neighbours(MPI_Comm all, MPI_Comm node, node_rings& rings);
  neighbours(const neighbours&) = delete;
  neighbours& operator=(const neighbours&) = delete;

  [[nodiscard]] bool we_read(std::size_t rank) const noexcept { return processes_[rank].id != 0; }
  [[nodiscard]] bool reads_us(std::size_t rank) const noexcept { return reads_us_[rank] != 0; }
  /// Number that goes with a loan; it changes with take_back().
  [[nodiscard]] std::uint64_t loan() const noexcept {
    return announced_ == nullptr ? 0 : announced_->loan.load(std::memory_order_relaxed);
  }
  /// Makes readers discard what they read of our memory from here on, until something is lent
  /// again.
  void take_back() noexcept {
    if (announced_ != nullptr) announced_->loan.fetch_add(1, std::memory_order_seq_cst);
  }

  /// Reads what that rank has lent. Returns whether it still was. Ends all ranks if its memory
  /// cannot be read.
  [[nodiscard]] bool read(std::size_t rank, const lent_block& lent, std::uint64_t loan,
                          std::byte* to) const noexcept;

 private:
  struct process {
    std::uint64_t rank = 0;
    std::int64_t id = 0;        // 0: none whose memory we may read
    std::uint64_t address = 0;  // of what it shows
    announcement* shows = nullptr;
  };

  MPI_Comm all_;
  announcement* announced_;
  std::vector<process> processes_;       // [rank]
  std::vector<unsigned char> reads_us_;  // [rank]
};

}  // namespace pleat::mpi
