// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

// The calls that are interposed, under names of our own. MPI's names belong to the library that is
// preloaded; a program that links these has both ours and the MPI's.
namespace pleat::preloaded::entry {

decltype(PMPI_Init) init;
decltype(PMPI_Init_thread) init_thread;
decltype(PMPI_Bcast) bcast;
decltype(PMPI_Allgather) allgather;
decltype(PMPI_Allgatherv) allgatherv;
decltype(PMPI_Reduce) reduce;
decltype(PMPI_Allreduce) allreduce;
decltype(PMPI_Reduce_scatter) reduce_scatter;
decltype(PMPI_Reduce_scatter_block) reduce_scatter_block;

}  // namespace pleat::preloaded::entry
