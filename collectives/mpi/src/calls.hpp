// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mpi.h>
#include <optional>
#include <vector>

#include "interposed.hpp"
#include "operations.hpp"

// Calls of MPI, with counts that are int or MPI_Count and places that are int or MPI_Aint. Each
// call is carried out here, or by `own`, which is the MPI's call with the same arguments. Addresses
// are checked only after the ranks have agreed, in communicator::of, because a correct program may
// pass null on some ranks if there is no data.
namespace pleat::preloaded::calls {

template <class Own>
int bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
          const Own& own) {
  if (!proper(count, type)) return own();
  return interposed(
      operation::bcast, comm,
      [&](communicator& on) {
        return buffer != MPI_IN_PLACE && !absent(buffer, count, type) &&
               preloaded::bcast(on, buffer, count, type, root);
      },
      own);
}

template <class Own>
int allgather(const contribution& mine, void* to, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
              const Own& own) {
  if (!proper(count, type) || !mine.is_proper()) return own();
  return interposed(
      operation::allgather, comm,
      [&](communicator& on) {
        return to != MPI_IN_PLACE && !absent(to, count, type) && !mine.is_absent() &&
               preloaded::allgather(on, mine, to, count, type);
      },
      own);
}

/// Returns a number for each rank, or none if one of them is negative.
template <class Count>
std::optional<std::vector<std::size_t>> counts_of(const Count* counts, const communicator& on) {
  const Count* const end = counts + on.size();
  if (std::any_of(counts, end, [](Count count) { return count < 0; })) return {};
  return std::vector<std::size_t>(counts, end);
}

template <class Count, class Place, class Own>
int allgatherv(const contribution& mine, void* to, const Count* counts, const Place* places,
               MPI_Datatype type, MPI_Comm comm, const Own& own) {
  if (!proper(0, type) || !mine.is_proper() || counts == nullptr || places == nullptr) return own();
  return interposed(
      operation::allgatherv, comm,
      [&](communicator& on) {
        const auto all = counts_of(counts, on);
        const std::vector<std::ptrdiff_t> at(places, places + on.size());
        return all && to != MPI_IN_PLACE && !mine.is_absent() &&
               !absent(to, std::ranges::max(*all) != 0 ? 1 : 0, type) &&
               preloaded::allgatherv(on, mine, to, *all, at, type);
      },
      own);
}

template <class Own>
int reduce(const void* from, void* to, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm, const Own& own) {
  if (!proper(count, type)) return own();
  const reduction call{operation::reduce, type, op};
  return interposed(
      operation::reduce, comm,
      [&](communicator& on) { return reduce_call(on, call, from, to, count, root); }, own);
}

template <class Own>
int allreduce(const void* from, void* to, MPI_Count count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, const Own& own) {
  if (!proper(count, type)) return own();
  const reduction call{operation::allreduce, type, op};
  return interposed(
      operation::allreduce, comm,
      [&](communicator& on) {
        return to != MPI_IN_PLACE && from != to && !absent(from, count, type) &&
               !absent(to, count, type) && preloaded::allreduce(on, call, from, to, count);
      },
      own);
}

template <class Count, class Own>
int reduce_scatter(const void* from, void* to, const Count* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, const Own& own) {
  if (!proper(0, type) || counts == nullptr) return own();
  const reduction call{operation::reduce_scatter, type, op};
  return interposed(
      operation::reduce_scatter, comm,
      [&](communicator& on) {
        const auto all = counts_of(counts, on);
        return all && to != MPI_IN_PLACE && preloaded::reduce_scatter(on, call, from, to, *all);
      },
      own);
}

template <class Own>
int reduce_scatter_block(const void* from, void* to, MPI_Count count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm, const Own& own) {
  if (!proper(count, type)) return own();
  const reduction call{operation::reduce_scatter_block, type, op};
  return interposed(
      operation::reduce_scatter_block, comm,
      [&](communicator& on) {
        if (to == MPI_IN_PLACE) return false;
        const std::vector<std::size_t> counts(on.size(), static_cast<std::size_t>(count));
        return preloaded::reduce_scatter(on, call, from, to, counts);
      },
      own);
}

}  // namespace pleat::preloaded::calls
