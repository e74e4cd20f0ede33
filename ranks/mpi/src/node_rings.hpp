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

/// Memory that the processes of a node show to each other: rings, one from each to each other; and
/// loans, which are read where they are, as inside a rank, if the system lets processes read each
/// other's memory (process_vm_readv).
///
/// Each process makes the memory of the rings to itself, which ends with the processes that have
/// it. There are neither rings nor loans where the system does not let processes open each other's
/// memory. The lender may have a loan back at any time: whoever has read it looks afterwards
/// whether it was still lent.
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
    return ranks_.empty() ? nullptr : ranks_[rank].to;
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

  /// Tells whether that rank reads what this one lends.
  [[nodiscard]] bool reads_us(std::size_t rank) const noexcept {
    return !ranks_.empty() && ranks_[rank].reads_us;
  }
  /// Number that goes with a loan; it changes with take_back().
  [[nodiscard]] std::uint64_t loan() const noexcept {
    return own_ == nullptr ? 0 : own_->loan.load(std::memory_order_relaxed);
  }
  /// Makes readers discard what they read of our memory from here on, until something is lent
  /// again.
  void take_back() noexcept {
    // acquire: a reader that saw the loan has read before what is written after this; pairs with
    // the fetch_add in read
    if (own_ != nullptr) own_->loan.fetch_add(1, std::memory_order_acquire);
  }
  /// Reads what that rank has lent. Returns whether it still was. Ends all ranks if its memory
  /// cannot be read.
  [[nodiscard]] bool read(std::size_t rank, const lent_block& lent, std::uint64_t loan,
                          std::byte* to) const noexcept;

 private:
  struct mapping {
    void* memory;
    std::size_t bytes;
  };
  /// Another rank of this node, or this one.
  struct neighbour {
    outgoing* to = nullptr;
    announcement* shows = nullptr;
    pid_t process = 0;
    bool reads_us = false;
  };
  struct told;
  [[nodiscard]] void* map(int file, std::size_t bytes) noexcept;
  [[nodiscard]] void* map_of(const told& other, std::size_t bytes) noexcept;

  MPI_Comm all_;
  announcement* own_ = nullptr;
  std::vector<mapping> mappings_;
  std::vector<outgoing> outgoing_;
  std::vector<neighbour> ranks_;  // [rank]; empty without rings
  std::vector<incoming> incoming_;
};

}  // namespace pleat::mpi
