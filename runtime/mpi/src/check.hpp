// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mpi.h>

namespace pleat::mpi {

/// Says that MPI has not begun, or has ended.
inline constexpr const char* while_mpi_lasts =
    "a machine over ranks is made and used between MPI_Init_thread and MPI_Finalize";

/// Checks the result of a call of MPI on a communicator of the program's, whose errors may be
/// returned. Throws: environment_error with the MPI's words.
void check(int code);

/// Collective: throws on all processes if there is a failure on one of them: there, that failure;
/// on the others an environment_error with the words of the first of them. Returns whether all have
/// the same `number`.
bool agree(MPI_Comm all, const std::exception_ptr& failed, int number = 0);

}  // namespace pleat::mpi
