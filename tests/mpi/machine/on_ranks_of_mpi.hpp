// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mpi.h>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <pleat/mpi/over.hpp>

#include "unit/message_of.hpp"

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// check(comm) for communicators of the first ranks, in every number that there is.
inline void on_numbers_of_ranks(const std::function<void(MPI_Comm)>& check) {
  const int all = size_of(MPI_COMM_WORLD), self = rank_in(MPI_COMM_WORLD);
  for (const int ranks : all > 8 ? std::set<int>{1, 5, all} : std::set<int>{1, 2, 3, all}) {
    if (ranks > all) continue;
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, self < ranks ? 0 : MPI_UNDEFINED, self, &comm);
    if (comm != MPI_COMM_NULL) {
      check(comm);
      MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

inline pleat::rank_options over(MPI_Comm comm, unsigned processors = 1) {
  return pleat::mpi::over(comm, {.processors = processors});
}

template <class Program>
std::string words_of_failure(pleat::machine& machine, std::size_t v, Program program) {
  return message_of<std::exception>([&] { machine.run(v, program); });
}
