// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// Exception for an error code that a call of the MPI returned. The entry point passes it to the
/// program's own error handler.
struct mpi_failure {
  int code;
};

inline void check(int code) {
  if (code != MPI_SUCCESS) throw mpi_failure{code};
}

}  // namespace pleat::preloaded
