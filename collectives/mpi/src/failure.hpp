// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// A call of the MPI returned an error code; the entry point hands it to the program's own error
/// handler.
struct mpi_failure {
  int code;
};

inline void check(int code) {
  if (code != MPI_SUCCESS) throw mpi_failure{code};
}

}  // namespace pleat::preloaded
