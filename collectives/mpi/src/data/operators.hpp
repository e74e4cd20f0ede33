// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// Tells whether it is certain that the MPI applies this operator to elements of this type. The
/// MPI's own operators: with the types the standard names for them, and no derived ones. The
/// program's: with every type. For all others the MPI does the work, or says what is wrong.
[[nodiscard]] bool applies(MPI_Op op, MPI_Datatype type);

/// Tells whether an operator commutes. Throws: mpi_failure.
[[nodiscard]] bool commutes(MPI_Op op);

}  // namespace pleat::preloaded
