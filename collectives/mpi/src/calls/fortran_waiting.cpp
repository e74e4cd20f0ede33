// SPDX-License-Identifier: Apache-2.0
//
// Fortran's calls in which programs wait, and others that do not go through C. Most wait until the
// MPI's own would not, which then knows what Fortran's statuses and indices are.
#include <dlfcn.h>

#include "calls/fortran.hpp"
#include "calls/waiting.hpp"
#include "communicator/meeting.hpp"
#include "running/persistent_calls.hpp"

using namespace pleat::preloaded;
using namespace pleat::preloaded::fortran;

namespace {

/// The MPI's own function.
template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define PLEAT_STRING_OF(text) #text
#define PLEAT_STRING(text) PLEAT_STRING_OF(text)
#define PLEAT_FORTRAN_STRING(name) PLEAT_STRING(PLEAT_FORTRAN_NAME(name))

// Defines a call of n arguments and the error code. Its body computes `code`; or it also calls
// own(…), the MPI's; or it calls that after something else.
#define PLEAT_COMPUTES(name, NAME, n, ...)                                  \
  PLEAT_FORTRAN_BODY(mpi, MPI, name, NAME, (PLEAT_FORTRAN_PARAMETERS(n)), { \
    MPI_Fint code = MPI_SUCCESS;                                            \
    __VA_ARGS__;                                                            \
    if (error != nullptr) *error = code;                                    \
  });
#define PLEAT_FIND_OWN(name, n) \
  static auto* const own = next<void(PLEAT_FORTRAN_PARAMETERS(n))>(PLEAT_FORTRAN_STRING(name))
#define PLEAT_AROUND(name, NAME, n, ...) \
  PLEAT_COMPUTES(name, NAME, n, PLEAT_FIND_OWN(name, n); __VA_ARGS__)
#define PLEAT_BEFORE(name, NAME, n, ...)                                    \
  PLEAT_FORTRAN_BODY(mpi, MPI, name, NAME, (PLEAT_FORTRAN_PARAMETERS(n)), { \
    PLEAT_FIND_OWN(name, n);                                                \
    __VA_ARGS__;                                                            \
    own(PLEAT_ARGUMENTS(n), error);                                         \
  });
#define PLEAT_CALLS_C(name, NAME, n, ...) \
  PLEAT_FORTRAN(mpi, MPI, name, NAME, (PLEAT_FORTRAN_PARAMETERS(n)), __VA_ARGS__);

#pragma GCC visibility push(default)
extern "C" {

PLEAT_FORTRAN_BODY(mpi, MPI, init, INIT, (MPI_Fint * error), {
  static auto* const own = next<void(MPI_Fint*)>(PLEAT_FORTRAN_STRING(init));
  MPI_Fint code = MPI_SUCCESS;
  own(&code);
  if (code == MPI_SUCCESS) begin();
  if (error != nullptr) *error = code;
});
PLEAT_AROUND(init_thread, INIT_THREAD, 2, own(a0, a1, &code); if (code == MPI_SUCCESS) begin())
#define PLEAT_LOOKS(name, NAME, Name, n) PLEAT_BEFORE(name, NAME, n, advance())
PLEAT_CALLS_THAT_LOOK(PLEAT_LOOKS)

// Calls that wait: until a call that looks has found it, or has an error.
#define PLEAT_WAITS(name, NAME, n, ...)                                                 \
  PLEAT_AROUND(name, NAME, n, if (!others_run()) return own(PLEAT_ARGUMENTS(n), error); \
               (void)tested([&]([[maybe_unused]] int* done) {                           \
                 __VA_ARGS__;                                                           \
                 return code;                                                           \
               }))
PLEAT_WAITS(wait, WAIT, 2, PLEAT_FORTRAN_NAME(test)(a0, done, a1, &code))
#ifdef OPEN_MPI
PLEAT_BEFORE(waitall, WAITALL, 3,
             if (others_run()) for (MPI_Fint i = 0; i < integer(a0); ++i)
                 progress_until([&] { return is_complete(request_of(&integer(a1) + i)); }))
#else  // requests of files make progress in calls that test them
PLEAT_WAITS(waitall, WAITALL, 3, PLEAT_FORTRAN_NAME(testall)(a0, a1, done, a2, &code))
#endif
PLEAT_WAITS(waitany, WAITANY, 4, PLEAT_FORTRAN_NAME(testany)(a0, a1, a2, done, a3, &code))
PLEAT_WAITS(waitsome, WAITSOME, 5, PLEAT_FORTRAN_NAME(testsome)(a0, a1, a2, a3, a4, &code);
            *done = integer(a2))
PLEAT_WAITS(mprobe, MPROBE, 5, PLEAT_FORTRAN_NAME(improbe)(a0, a1, a2, done, a3, a4, &code))
// Another thread may take the message meanwhile; then the MPI's own waits for the next.
PLEAT_BEFORE(probe, PROBE, 4,
             if (others_run()) until_message(integer(a0), integer(a1), comm_of(a2)))
PLEAT_CALLS_C(barrier, BARRIER, 1, MPI_Barrier(comm_of(a0)))
PLEAT_COMPUTES(start, START, 1, MPI_Request handle = request_of(a0); code = start(handle))
PLEAT_COMPUTES(startall, STARTALL, 2,
               for (MPI_Fint i = 0; i < integer(a0) && code == MPI_SUCCESS; ++i)
                   PLEAT_FORTRAN_NAME(start)(static_cast<MPI_Fint*>(a1) + i, &code))
PLEAT_BEFORE(request_free, REQUEST_FREE, 1, forget(request_of(a0)))

PLEAT_COMPUTES(type_free, TYPE_FREE, 1, MPI_Datatype handle = type_of(a0);
               code = MPI_Type_free(&handle); *static_cast<MPI_Fint*>(a0) = MPI_Type_c2f(handle))
PLEAT_COMPUTES(op_free, OP_FREE, 1, MPI_Op handle = op_of(a0); code = MPI_Op_free(&handle);
               *static_cast<MPI_Fint*>(a0) = MPI_Op_c2f(handle))
PLEAT_FORTRAN(mpi, MPI, finalize, FINALIZE, (MPI_Fint * error), MPI_Finalize());
PLEAT_BEFORE(comm_free, COMM_FREE, 1, complete_calls(comm_of(a0)))
PLEAT_BEFORE(comm_disconnect, COMM_DISCONNECT, 1, complete_calls(comm_of(a0)); meet(comm_of(a0)))

#define PLEAT_MAKES(name, NAME, Name, n, comm)                                   \
  PLEAT_AROUND(name, NAME, n, meet(comm_of(a0)); own(PLEAT_ARGUMENTS(n), &code); \
               if (code == MPI_SUCCESS) communicator::made(comm_of(comm)))
PLEAT_CALLS_THAT_MAKE(PLEAT_MAKES)
PLEAT_AROUND(comm_create_group, COMM_CREATE_GROUP, 4, own(a0, a1, a2, a3, &code);
             if (code == MPI_SUCCESS) communicator::made(comm_of(a3)))

#ifdef OPEN_MPI  // calls with buffers
PLEAT_BEFORE(recv, RECV, 7, if (others_run()) until_message(integer(a3), integer(a4), comm_of(a5)))
PLEAT_CALLS_C(send, SEND, 6, MPI_Send(PLEAT_ARGUMENTS_IN_C(6)))
PLEAT_CALLS_C(ssend, SSEND, 6, MPI_Ssend(PLEAT_ARGUMENTS_IN_C(6)))
PLEAT_CALLS_C(rsend, RSEND, 6, MPI_Rsend(PLEAT_ARGUMENTS_IN_C(6)))
// Arguments of sendrecv: 0 … 4 are sent, 5 … 9 are received, on communicator 10, with status 11.
PLEAT_AROUND(sendrecv, SENDRECV, 12, if (!others_run()) return own(PLEAT_ARGUMENTS(12), error);
             code = sent(
                 comm_of(a10),
                 [&](MPI_Request* request) {
                   return PMPI_Isend(PLEAT_ARGUMENTS_IN_C(5), comm_of(a10), request);
                 },
                 [&] {
                   PLEAT_FORTRAN_NAME(recv)(a5, a6, a7, a8, a9, a10, a11, &code);
                   return code;
                 }))
// Data, count and type come first, then where they go, their tag, where others come from, their
// tag.
PLEAT_AROUND(sendrecv_replace, SENDRECV_REPLACE, 9,
             if (!others_run()) return own(PLEAT_ARGUMENTS(9), error);
             code = replaced(address(a0), integer(a1), type_of(a2), integer(a3), integer(a4),
                             comm_of(a7), [&] {
                               PLEAT_FORTRAN_NAME(recv)(a0, a1, a2, a5, a6, a7, a8, &code);
                               return code;
                             }))
PLEAT_CALLS_C(neighbor_allgather, NEIGHBOR_ALLGATHER, 7,
              MPI_Neighbor_allgather(PLEAT_ARGUMENTS_IN_C(7)))
PLEAT_CALLS_C(neighbor_alltoall, NEIGHBOR_ALLTOALL, 7,
              MPI_Neighbor_alltoall(PLEAT_ARGUMENTS_IN_C(7)))
PLEAT_CALLS_C(neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 8,
              MPI_Neighbor_allgatherv(PLEAT_ARGUMENTS_IN_C(8)))
PLEAT_CALLS_C(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 9,
              MPI_Neighbor_alltoallv(PLEAT_ARGUMENTS_IN_C(9)))
#endif

}  // extern "C"
#pragma GCC visibility pop
