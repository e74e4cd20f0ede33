// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

/// Name of the function that makes a persistent call: PLEAT_INIT(Bcast).
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define PLEAT_INIT(name) MPIX_##name##_init
#else
#define PLEAT_INIT(name) MPI_##name##_init
#endif
