// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <span>

#include "communicator.hpp"
#include "interposed.hpp"

namespace pleat::preloaded {

// The collective operations of a program, of any counts. Each carries the call out, or returns
// false before it has sent anything: then it is the MPI's. Requires: what `proper` says of counts
// and types. Throw: mpi_failure, std::bad_alloc.

bool bcast(communicator& on, void* buffer, MPI_Count count, MPI_Datatype type, int root);

/// Contribution of one rank to an all-gather.
struct contribution {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
  [[nodiscard]] bool is_proper() const noexcept { return in_place() || proper(count, type); }
  [[nodiscard]] bool is_absent() const noexcept {
    return !in_place() && absent(buffer, count, type);
  }
  [[nodiscard]] bool has(std::size_t bytes) const {
    return in_place() || bytes_of(count, type) == bytes;
  }
};

bool allgather(communicator& on, const contribution& mine, void* buffer, MPI_Count count,
               MPI_Datatype type);
/// Counts and places: one for each rank.
bool allgatherv(communicator& on, const contribution& mine, void* buffer,
                std::span<const std::size_t> counts, std::span<const std::ptrdiff_t> places,
                MPI_Datatype type);

/// Arguments of a reduction's call that all ranks have in common.
struct reduction {
  operation what;
  MPI_Datatype type;
  MPI_Op op;

  /// Tells whether the call is carried out here, with `total` elements of which a message has up to
  /// `ranks` single ones.
  [[nodiscard]] bool ours(const communicator& on, std::size_t total, std::size_t ranks) const;
  [[nodiscard]] std::size_t blocks(const communicator& on, std::size_t total,
                                   std::size_t longest) const;
};

bool reduce_call(communicator& on, const reduction& call, const void* from, void* to,
                 MPI_Count count, int root);
bool allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count);
/// Carries out reduce_scatter and reduce_scatter_block.
bool reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const std::size_t> counts);

}  // namespace pleat::preloaded
