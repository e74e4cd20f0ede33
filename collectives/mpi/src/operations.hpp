// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <optional>
#include <span>
#include <vector>

#include "communicator.hpp"
#include "side.hpp"

namespace pleat::preloaded {

// The collective operations of a program, of any counts. Each carries the call out, or returns
// false before it has sent anything: then it is the MPI's. Requires: the ranks of the communicator
// have agreed. Throw: mpi_failure, std::bad_alloc.

bool bcast(communicator& on, const side& data, int root);

bool allgather(communicator& on, const side& mine, const side& each);
bool allgatherv(communicator& on, const side& mine, const irregular_side& theirs);

/// `each` is one rank's side at the root, and is not looked at elsewhere.
bool gather(communicator& on, const side& mine, const side& each, int root);
bool scatter(communicator& on, const side& each, const side& mine, int root);
/// `theirs` are the sides of the ranks at the root, and absent elsewhere.
bool gatherv(communicator& on, const side& mine, const std::optional<irregular_side>& theirs,
             int root);
bool scatterv(communicator& on, const std::optional<irregular_side>& theirs, const side& mine,
              int root);

bool alltoall(communicator& on, const side& mine, const side& each);

/// Carries out alltoallv and alltoallw. `mine` is absent in place.
bool irregular_exchange(communicator& on, operation what, const std::optional<irregular_side>& mine,
                        const irregular_side& theirs);

/// Arguments of a reduction's call that all ranks have in common.
struct reduction {
  operation what;
  MPI_Datatype type;
  MPI_Op op;
};

bool reduce_call(communicator& on, const reduction& call, const void* from, void* to,
                 MPI_Count count, int root);
bool allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count);
/// Carries out reduce_scatter and reduce_scatter_block.
bool reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const std::size_t> counts);
/// Carries out scan and exscan.
bool scan(communicator& on, const reduction& call, const void* from, void* to, MPI_Count count);

}  // namespace pleat::preloaded
