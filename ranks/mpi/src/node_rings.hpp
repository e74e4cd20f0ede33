// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <span>
#include <sys/types.h>
#include <vector>

#include <pleat/channels/slot.hpp>

#include "shared_ring.hpp"

namespace pleat::mpi {

/// Words of a process that the others of its node see.
struct announcement {
  std::uint64_t token = 0;  // nobody else's
  std::atomic<std::uint64_t> loan{1};
};

/// Rings between the processes of a node, in memory that they share: one from each to each other.
/// Each process makes the memory of the rings to itself, which ends with the processes that have
/// it. There are no rings where the system does not let processes open each other's memory.
class node_rings {
 public:
  /// Makes the rings, or none if not `wanted`. `node`: the processes of this node; `all`: those
  /// that number the ranks. Collective over the node. Throws: std::bad_alloc; environment_error, if
  /// MPI fails.
  node_rings(MPI_Comm all, MPI_Comm node, bool wanted);
  node_rings(const node_rings&) = delete;
  node_rings& operator=(const node_rings&) = delete;
  ~node_rings();

  /// The end of the ring to a rank, which is in use unless fronts go through MPI after one that
  /// found no room.
  struct outgoing {
    ring_sender ring;
    bool in_use = true;
  };
  /// Returns null if there is none.
  [[nodiscard]] outgoing* to(std::size_t rank) noexcept {
    return outgoing_.empty() ? nullptr : outgoing_of_[rank];
  }
  /// Words of a rank that has a ring, or of this one; null without rings.
  [[nodiscard]] announcement* of(std::size_t rank) noexcept {
    return announced_.empty() ? nullptr : announced_[rank];
  }
  struct incoming {
    std::size_t source;
    ring_receiver ring;
    bool in_use = true;
  };
  /// The ends of all rings to this process.
  [[nodiscard]] std::span<incoming> from_others() noexcept { return incoming_; }
  /// The end of the ring from a rank; null if there is none.
  [[nodiscard]] incoming* from(std::size_t rank) noexcept {
    const auto at = std::ranges::find(incoming_, rank, &incoming::source);
    return at == incoming_.end() ? nullptr : &*at;
  }

 private:
  struct mapping {
    void* memory;
    std::size_t bytes;
  };
  struct told;
  [[nodiscard]] void* map(int file, std::size_t bytes) noexcept;
  [[nodiscard]] void* map_of(const told& other, std::size_t bytes) noexcept;

  std::vector<mapping> mappings_;
  std::vector<outgoing> outgoing_;
  std::vector<outgoing*> outgoing_of_;    // [rank]
  std::vector<announcement*> announced_;  // [rank]
  std::vector<incoming> incoming_;
};

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
