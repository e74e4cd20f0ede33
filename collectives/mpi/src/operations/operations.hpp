// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <optional>
#include <span>

#include "communicator/communicator.hpp"
#include "data/typed_parts.hpp"
#include "running/task.hpp"

namespace pleat::preloaded {

// The collective operations of a program, of any counts. Each examines the arguments, which wait
// for no other rank in a call that does not block, and returns the work of the call; none if it is
// the MPI's. Throw, as the work does: mpi_failure, std::bad_alloc.

plan bcast(communicator& on, const side& data, int root);

plan allgather(communicator& on, const side& mine, const side& each);
plan allgatherv(communicator& on, const side& mine, const irregular_side& theirs);

/// `each` is one rank's side at the root, and is not looked at elsewhere.
plan gather(communicator& on, const side& mine, const side& each, int root);
plan scatter(communicator& on, const side& each, const side& mine, int root);
/// `theirs` are the sides of the ranks at the root, and absent elsewhere.
plan gatherv(communicator& on, const side& mine, const std::optional<irregular_side>& theirs,
             int root);
plan scatterv(communicator& on, const std::optional<irregular_side>& theirs, const side& mine,
              int root);

plan alltoall(communicator& on, const side& mine, const side& each);

/// Carries out alltoallv and alltoallw. `mine` is absent in place.
plan irregular_exchange(communicator& on, operation what, const std::optional<irregular_side>& mine,
                        const irregular_side& theirs);

/// Arguments of a reduction's call that all ranks have in common.
struct reduction {
  operation what;
  MPI_Datatype type;
  MPI_Op op;
};

plan reduce_call(communicator& on, const reduction& call, const void* from, void* to,
                 MPI_Count count, int root);
plan allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count);
/// Carries out reduce_scatter and reduce_scatter_block.
plan reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const std::size_t> counts);
/// Carries out scan and exscan.
plan scan(communicator& on, const reduction& call, const void* from, void* to, MPI_Count count);

}  // namespace pleat::preloaded
