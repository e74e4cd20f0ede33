// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mpi.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "calls/forms.hpp"
#include "calls/parameters.hpp"
#include "operations/operations.hpp"

// Calls of MPI in any of the three forms, with counts that are int or MPI_Count and places that are
// int or MPI_Aint.
namespace pleat::preloaded::calls {

template <class Form, class Count>
int bcast(const Form& form, void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return form.perform(operation::bcast, comm, [&](communicator& on) {
    return preloaded::bcast(on, {buffer, count, type}, root);
  });
}

/// Performs allgather or alltoall.
template <operation What, class Form, class Count>
int for_all(const Form& form, const void* from, Count from_count, MPI_Datatype from_type, void* to,
            Count count, MPI_Datatype type, MPI_Comm comm) {
  constexpr auto* plan_of =
      What == operation::allgather ? &preloaded::allgather : &preloaded::alltoall;
  return form.perform(What, comm, [&](communicator& on) {
    return plan_of(on, {from, from_count, from_type}, {to, count, type});
  });
}

/// Performs gather or scatter.
template <operation What, class Form, class Count>
int with_root(const Form& form, const void* from, Count from_count, MPI_Datatype from_type,
              void* to, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  constexpr auto* plan_of = What == operation::gather ? &preloaded::gather : &preloaded::scatter;
  return form.perform(What, comm, [&](communicator& on) {
    return plan_of(on, {from, from_count, from_type}, {to, count, type}, root);
  });
}

/// Returns a number for each rank, or none if one of them is negative.
template <class Count>
std::optional<std::vector<std::size_t>> counts_of(const Count* counts, const communicator& on) {
  if (counts == nullptr) return {};
  const Count* const end = counts + on.size();
  if (std::any_of(counts, end, [](Count count) { return count < 0; })) return {};
  return std::vector<std::size_t>(counts, end);
}

/// Returns one side of an irregular call, or none if its arguments are wrong. Types are one for
/// all ranks, or an array.
template <class Count, class Place>
std::optional<irregular_side> side_of(const void* buffer, const Count* counts, const Place* places,
                                      std::span<const MPI_Datatype> types, const communicator& on) {
  auto all = counts_of(counts, on);
  if (!all || places == nullptr || types.data() == nullptr) return {};
  return irregular_side{
      buffer, std::move(*all), {places, places + on.size()}, {types.begin(), types.end()}};
}

template <class Form, class Count, class Place>
int allgatherv(const Form& form, const void* from, Count from_count, MPI_Datatype from_type,
               void* to, const Count* counts, const Place* places, MPI_Datatype type,
               MPI_Comm comm) {
  return form.perform(operation::allgatherv, comm, [&](communicator& on) {
    const auto theirs = side_of(to, counts, places, {&type, 1}, on);
    return theirs ? preloaded::allgatherv(on, {from, from_count, from_type}, *theirs) : plan();
  });
}

template <class Form, class Count, class Place>
int gatherv(const Form& form, const void* from, Count from_count, MPI_Datatype from_type, void* to,
            const Count* counts, const Place* places, MPI_Datatype type, int root, MPI_Comm comm) {
  return form.perform(operation::gatherv, comm, [&](communicator& on) {
    std::optional<irregular_side> theirs;
    if (on.is(root)) theirs = side_of(to, counts, places, {&type, 1}, on);
    return on.has(root) && on.is(root) == theirs.has_value()
               ? preloaded::gatherv(on, {from, from_count, from_type}, theirs, root)
               : plan();
  });
}

template <class Form, class Count, class Place>
int scatterv(const Form& form, const void* from, const Count* counts, const Place* places,
             MPI_Datatype type, void* to, Count count, MPI_Datatype to_type, int root,
             MPI_Comm comm) {
  return form.perform(operation::scatterv, comm, [&](communicator& on) {
    std::optional<irregular_side> theirs;
    if (on.is(root)) theirs = side_of(from, counts, places, {&type, 1}, on);
    return on.has(root) && on.is(root) == theirs.has_value()
               ? preloaded::scatterv(on, theirs, {to, count, to_type}, root)
               : plan();
  });
}

/// Performs alltoallv or alltoallw, which differ in their types: types_of(argument, p).
template <operation What, class Form, class Count, class Place, class Types>
int irregular_alltoall(const Form& form, const void* from, const Count* from_counts,
                       const Place* from_places, Types from_types, void* to, const Count* counts,
                       const Place* places, Types types, MPI_Comm comm) {
  const auto types_of = [](const Types& all, std::size_t ranks) -> std::span<const MPI_Datatype> {
    if constexpr (What == operation::alltoallw) {
      return {all, ranks};
    } else {
      return {&all, 1};
    }
  };
  return form.perform(What, comm, [&](communicator& on) {
    const auto theirs = side_of(to, counts, places, types_of(types, on.size()), on);
    std::optional<irregular_side> mine;
    if (from != MPI_IN_PLACE) {
      mine = side_of(from, from_counts, from_places, types_of(from_types, on.size()), on);
      if (!mine) return plan();
    }
    return theirs ? irregular_exchange(on, What, mine, *theirs) : plan();
  });
}

template <class Form, class Count>
int reduce(const Form& form, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm comm) {
  return form.perform(operation::reduce, comm, [&](communicator& on) {
    return reduce_call(on, {operation::reduce, type, op}, from, to, count, root);
  });
}

template <class Form, class Count>
int allreduce(const Form& form, const void* from, void* to, Count count, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm) {
  return form.perform(operation::allreduce, comm, [&](communicator& on) {
    return preloaded::allreduce(on, {operation::allreduce, type, op}, from, to, count);
  });
}

template <class Form, class Count>
int reduce_scatter(const Form& form, const void* from, void* to, const Count* counts,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return form.perform(operation::reduce_scatter, comm, [&](communicator& on) {
    const auto all = counts_of(counts, on);
    if (!all) return plan();
    return preloaded::reduce_scatter(on, {operation::reduce_scatter, type, op}, from, to, *all);
  });
}

template <class Form, class Count>
int reduce_scatter_block(const Form& form, const void* from, void* to, Count count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return form.perform(operation::reduce_scatter_block, comm, [&](communicator& on) {
    if (count < 0) return plan();
    const std::vector<std::size_t> counts(on.size(), static_cast<std::size_t>(count));
    return preloaded::reduce_scatter(on, {operation::reduce_scatter_block, type, op}, from, to,
                                     counts);
  });
}

template <operation What, class Form, class Count>
int scan(const Form& form, const void* from, void* to, Count count, MPI_Datatype type, MPI_Op op,
         MPI_Comm comm) {
  return form.perform(What, comm, [&](communicator& on) {
    return preloaded::scan(on, {What, type, op}, from, to, count);
  });
}

}  // namespace pleat::preloaded::calls

// Table of the calls: EACH(our name, in capitals, the MPI's, ours, number of parameters, and of
// those with one and with two more). `irregular_alltoall<alltoallw>` is a row apart.
#define PLEAT_CALLS(EACH)                                                                         \
  EACH(bcast, BCAST, Bcast, bcast, 5, 6, 7)                                                       \
  EACH(allgather, ALLGATHER, Allgather, for_all<operation::allgather>, 7, 8, 9)                   \
  EACH(allgatherv, ALLGATHERV, Allgatherv, allgatherv, 8, 9, 10)                                  \
  EACH(reduce, REDUCE, Reduce, reduce, 7, 8, 9)                                                   \
  EACH(allreduce, ALLREDUCE, Allreduce, allreduce, 6, 7, 8)                                       \
  EACH(reduce_scatter, REDUCE_SCATTER, Reduce_scatter, reduce_scatter, 6, 7, 8)                   \
  EACH(reduce_scatter_block, REDUCE_SCATTER_BLOCK, Reduce_scatter_block, reduce_scatter_block, 6, \
       7, 8)                                                                                      \
  EACH(scan, SCAN, Scan, scan<operation::scan>, 6, 7, 8)                                          \
  EACH(exscan, EXSCAN, Exscan, scan<operation::exscan>, 6, 7, 8)                                  \
  EACH(alltoall, ALLTOALL, Alltoall, for_all<operation::alltoall>, 7, 8, 9)                       \
  EACH(alltoallv, ALLTOALLV, Alltoallv, irregular_alltoall<operation::alltoallv>, 9, 10, 11)      \
  EACH(gather, GATHER, Gather, with_root<operation::gather>, 8, 9, 10)                            \
  EACH(scatter, SCATTER, Scatter, with_root<operation::scatter>, 8, 9, 10)                        \
  EACH(gatherv, GATHERV, Gatherv, gatherv, 9, 10, 11)                                             \
  EACH(scatterv, SCATTERV, Scatterv, scatterv, 9, 10, 11)
#define PLEAT_CALL_ALLTOALLW(EACH) \
  EACH(alltoallw, ALLTOALLW, Alltoallw, irregular_alltoall<operation::alltoallw>, 9, 10, 11)

// Defines a blocking call, of which `own` is the MPI's.
#define PLEAT_BLOCKING(name, own, ours, n)                                                        \
  int name(PLEAT_PARAMETERS(n, own)) {                                                            \
    return pleat::preloaded::calls::ours(                                                         \
        pleat::preloaded::blocking{[&] { return own(PLEAT_ARGUMENTS(n)); }}, PLEAT_ARGUMENTS(n)); \
  }
