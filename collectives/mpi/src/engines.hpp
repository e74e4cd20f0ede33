// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "communicator.hpp"
#include "elements.hpp"

namespace pleat::preloaded {

/// The algorithms. Of n blocks each takes n − 1 + ⌈log2 p⌉ rounds, in each of which a rank sends
/// one message and receives one, or none. All ranks call with the same n and the same sizes.
/// Throw: mpi_failure, std::bad_alloc.
///
/// Source: Jesper Larsson Träff, Optimal Broadcast Schedules in Logarithmic Time with Applications
/// to Broadcast, All-Broadcast, Reduction and All-Reduction, 2024, doi:10.48550/arXiv.2407.18004.

/// `bytes` bytes of the root's are on all ranks.
void broadcast(communicator& on, operation what, std::uint32_t root, std::byte* data,
               std::size_t bytes, std::size_t blocks);

/// What one rank contributes, and where it lies, here.
struct part {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Each rank's part is on all ranks; parts[r] is rank r's. Requires: one for each rank; this rank's
/// own is in its place.
void all_broadcast(communicator& on, operation what, std::span<const part> parts,
                   std::size_t blocks);

/// An operator of the MPI's or the program's that commutes, and the type it combines.
struct combining {
  MPI_Op op;
  const element_type* of;

  /// there[i] = here[i] op there[i]
  void operator()(elements here, elements there, std::size_t count) const;
};

/// `count` elements of all ranks are combined at the root into `sum`. `in` is left as it is, unless
/// it is `sum`. On other ranks `sum` is memory to work with.
void reduce(communicator& on, operation what, std::uint32_t root, elements in, elements sum,
            std::size_t count, combining op, std::size_t blocks);

/// Of the elements of all ranks, part r, counts[r] elements, is combined on rank r: parts lie one
/// behind the other in `in` and in `sums`, which is memory to work with, or `in` itself.
void reduce_parts(communicator& on, operation what, elements in, elements sums,
                  std::span<const std::size_t> counts, combining op, std::size_t blocks);

}  // namespace pleat::preloaded
