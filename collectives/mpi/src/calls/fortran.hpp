// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "errors/quiet.hpp"

#ifdef OPEN_MPI
extern "C" {
// Symbols of libmpi, or of the program, if that has a copy.
extern int mpi_fortran_in_place_;
extern int mpi_fortran_bottom_;
}
#endif

// Arguments of Fortran, whose handles are integers.
namespace pleat::preloaded::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are arrays of int");

#ifdef OPEN_MPI
/// Address of a buffer: MPI_IN_PLACE and MPI_BOTTOM are variables known by their addresses.
inline void* address(void* at) {
  if (at == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  return at == &mpi_fortran_bottom_ ? MPI_BOTTOM : at;
}
#endif
inline MPI_Datatype type_of(const MPI_Fint* handle) { return MPI_Type_f2c(*handle); }
inline MPI_Comm comm_of(const MPI_Fint* handle) { return MPI_Comm_f2c(*handle); }
inline MPI_Op op_of(const MPI_Fint* handle) { return MPI_Op_f2c(*handle); }
inline MPI_Request request_of(const MPI_Fint* handle) { return MPI_Request_f2c(*handle); }

/// Returns call(handle), which makes a request.
template <class Call> int makes(MPI_Fint* request, const Call& call) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = call(&made);
  *request = MPI_Request_c2f(made);
  return code;
}

}  // namespace pleat::preloaded::fortran

// Defines a call of a family, mpi or mpix, with these parameters, whose error code is the last
// argument. The body sets the error code, unless the argument is null.
//
// Exceptions that calls of C have not made errors of a communicator end here, as MPI_COMM_WORLD's.
//
// Open MPI: under the names that compilers make of it, and as ompi_…_f, which the module mpi_f08
// calls. MPICH, whose other names lead to C's: as that module calls it.
#define PLEAT_FORTRAN_ERRORS                                             \
  catch (...) {                                                          \
    const int code = pleat::preloaded::report_exception(MPI_COMM_WORLD); \
    if (error != nullptr) *error = code;                                 \
  }
#ifdef OPEN_MPI
#define PLEAT_FORTRAN_NAME(name) ompi_##name##_f
#define PLEAT_FORTRAN_BODY(mpi, MPI, name, NAME, parameters, ...)                   \
  void o##mpi##_##name##_f parameters try __VA_ARGS__                               \
      PLEAT_FORTRAN_ERRORS void mpi##_##name parameters                             \
      __attribute__((alias("o" #mpi "_" #name "_f")));                              \
  void mpi##_##name##_ parameters __attribute__((alias("o" #mpi "_" #name "_f")));  \
  void mpi##_##name##__ parameters __attribute__((alias("o" #mpi "_" #name "_f"))); \
  void MPI##_##NAME parameters __attribute__((alias("o" #mpi "_" #name "_f")))
#else
#define PLEAT_FORTRAN_NAME(name) mpi_##name##_f08_
#define PLEAT_FORTRAN_BODY(mpi, MPI, name, NAME, parameters, ...) \
  void mpi##_##name##_f08_ parameters try __VA_ARGS__ PLEAT_FORTRAN_ERRORS
#endif

// Defines a call whose error code is that of an expression.
#define PLEAT_FORTRAN(mpi, MPI, name, NAME, parameters, ...) \
  PLEAT_FORTRAN_BODY(mpi, MPI, name, NAME, parameters, {     \
    const int code = __VA_ARGS__;                            \
    if (error != nullptr) *error = code;                     \
  })
