// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "calls/parameters.hpp"
#include "errors/errors.hpp"

#ifdef OPEN_MPI
extern "C" {
// Symbols of libmpi, or of the program, if that has a copy.
extern int mpi_fortran_in_place_;
extern int mpi_fortran_bottom_;
}
#endif

// Conversion of Fortran's arguments, whose handles are integers.
namespace pleat::preloaded::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are arrays of int");

#ifdef OPEN_MPI
/// Address of a buffer: MPI_IN_PLACE and MPI_BOTTOM are variables known by their addresses.
inline void* address(void* at) {
  if (at == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  return at == &mpi_fortran_bottom_ ? MPI_BOTTOM : at;
}
#endif
inline const MPI_Fint& integer(const void* at) { return *static_cast<const MPI_Fint*>(at); }
inline MPI_Datatype type_of(const void* handle) { return MPI_Type_f2c(integer(handle)); }
inline MPI_Comm comm_of(const void* handle) { return MPI_Comm_f2c(integer(handle)); }
inline MPI_Op op_of(const void* handle) { return MPI_Op_f2c(integer(handle)); }
inline MPI_Request request_of(const void* handle) { return MPI_Request_f2c(integer(handle)); }

#ifdef OPEN_MPI  // whose handles of different kinds are of different types
/// Argument, which is an address, as a parameter of C.
struct argument {
  void* at;

  // NOLINTBEGIN(google-explicit-constructor): they are what the parameter is
  operator void*() const { return address(at); }
  operator int() const { return integer(at); }
  operator const int*() const { return &integer(at); }
  operator MPI_Datatype() const { return type_of(at); }
  operator MPI_Op() const { return op_of(at); }
  operator MPI_Comm() const { return comm_of(at); }
  // NOLINTEND(google-explicit-constructor)
};
#endif

/// Returns call(handle), which makes a request.
template <class Call> int makes(void* request, const Call& call) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = call(&made);
  *static_cast<MPI_Fint*>(request) = MPI_Request_c2f(made);
  return code;
}

}  // namespace pleat::preloaded::fortran

// Parameters of Fortran, a0, a1, …, and what they are in C.
#define PLEAT_FORTRAN_PARAMETER(unused, i) void* a##i
#define PLEAT_FORTRAN_PARAMETERS(n) PLEAT_FIRST_##n(PLEAT_FORTRAN_PARAMETER, ), MPI_Fint* error
#define PLEAT_IN_C(unused, i) \
  pleat::preloaded::fortran::argument { a##i }
#define PLEAT_ARGUMENTS_IN_C(n) PLEAT_FIRST_##n(PLEAT_IN_C, )

// Defines a call of a family, mpi or mpix, with these parameters, whose error code is the last
// argument. The body sets the error code, unless the argument is null.
//
// An exception that the call of C has not turned into an error of its communicator becomes an error
// of MPI_COMM_WORLD here.
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
