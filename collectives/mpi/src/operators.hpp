// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// Tells whether it is certain that the MPI applies this operator to elements of this type, and
/// that it commutes. The MPI's own operators: with the types the standard names for them, and no
/// derived ones. The program's: with every type, if it says that they commute. For all others the
/// MPI does the work, or says what is wrong. Throws: mpi_failure.
[[nodiscard]] bool commutes(MPI_Op op, MPI_Datatype type);

}  // namespace pleat::preloaded
