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

// Defines a call that does something before, or calls own(…), the MPI's.
#define PLEAT_AROUND(name, NAME, parameters, ...)                               \
  PLEAT_FORTRAN_BODY(mpi, MPI, name, NAME, parameters, {                        \
    static auto* const own = next<void parameters>(PLEAT_FORTRAN_STRING(name)); \
    __VA_ARGS__                                                                 \
  })
#define PLEAT_BEFORE(name, NAME, parameters, arguments, ...) \
  PLEAT_AROUND(name, NAME, parameters, __VA_ARGS__; own arguments;)

#pragma GCC visibility push(default)
extern "C" {

PLEAT_AROUND(init, INIT, (MPI_Fint * error), MPI_Fint code = MPI_SUCCESS; own(&code);
             if (code == MPI_SUCCESS) begin(); if (error != nullptr) * error = code;);
PLEAT_AROUND(init_thread, INIT_THREAD, (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* error),
             MPI_Fint code = MPI_SUCCESS;
             own(required, provided, &code); if (code == MPI_SUCCESS) begin();
             if (error != nullptr) * error = code;);
PLEAT_BEFORE(test, TEST, (MPI_Fint * request, int* flag, MPI_Fint* status, MPI_Fint* error),
             (request, flag, status, error), advance());
PLEAT_BEFORE(testall, TESTALL,
             (MPI_Fint * n, MPI_Fint* requests, int* flag, MPI_Fint* statuses, MPI_Fint* error),
             (n, requests, flag, statuses, error), advance());
PLEAT_BEFORE(testany, TESTANY,
             (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* index, int* flag, MPI_Fint* status,
              MPI_Fint* error),
             (n, requests, index, flag, status, error), advance());
PLEAT_BEFORE(testsome, TESTSOME,
             (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* number, MPI_Fint* indices,
              MPI_Fint* statuses, MPI_Fint* error),
             (n, requests, number, indices, statuses, error), advance());
PLEAT_BEFORE(request_get_status, REQUEST_GET_STATUS,
             (MPI_Fint * request, int* flag, MPI_Fint* status, MPI_Fint* error),
             (request, flag, status, error), advance());
PLEAT_BEFORE(iprobe, IPROBE,
             (MPI_Fint * source, MPI_Fint* tag, MPI_Fint* comm, int* flag, MPI_Fint* status,
              MPI_Fint* error),
             (source, tag, comm, flag, status, error), advance());
PLEAT_BEFORE(improbe, IMPROBE,
             (MPI_Fint * source, MPI_Fint* tag, MPI_Fint* comm, int* flag, MPI_Fint* message,
              MPI_Fint* status, MPI_Fint* error),
             (source, tag, comm, flag, message, status, error), advance());

// Calls that wait: until a call that looks has found it, or has an error.
#define PLEAT_WAITS(name, NAME, parameters, arguments, ...)                     \
  PLEAT_AROUND(name, NAME, parameters, if (!others_run()) return own arguments; \
               MPI_Fint code = MPI_SUCCESS; (void)tested([&](int* done) {       \
                 __VA_ARGS__;                                                   \
                 return code;                                                   \
               });                                                              \
               if (error != nullptr)* error = code;)
PLEAT_WAITS(wait, WAIT, (MPI_Fint * request, MPI_Fint* status, MPI_Fint* error),
            (request, status, error), PLEAT_FORTRAN_NAME(test)(request, done, status, &code));
#ifdef OPEN_MPI
PLEAT_BEFORE(waitall, WAITALL,
             (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error),
             (n, requests, statuses, error),
             if (others_run()) for (MPI_Fint i = 0; i < *n; ++i)
                 progress_until([&] { return is_complete(request_of(requests + i)); }));
#else  // requests of files make progress in calls that test them
PLEAT_WAITS(waitall, WAITALL,
            (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error),
            (n, requests, statuses, error),
            PLEAT_FORTRAN_NAME(testall)(n, requests, done, statuses, &code));
#endif
PLEAT_WAITS(waitany, WAITANY,
            (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* error),
            (n, requests, index, status, error),
            PLEAT_FORTRAN_NAME(testany)(n, requests, index, done, status, &code));
PLEAT_WAITS(waitsome, WAITSOME,
            (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* number, MPI_Fint* indices,
             MPI_Fint* statuses, MPI_Fint* error),
            (n, requests, number, indices, statuses, error),
            PLEAT_FORTRAN_NAME(testsome)(n, requests, number, indices, statuses, &code);
            *done = *number);
PLEAT_WAITS(mprobe, MPROBE,
            (MPI_Fint * source, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* message, MPI_Fint* status,
             MPI_Fint* error),
            (source, tag, comm, message, status, error),
            PLEAT_FORTRAN_NAME(improbe)(source, tag, comm, done, message, status, &code));
// Another thread may take the message meanwhile; then the MPI's own waits for the next.
PLEAT_BEFORE(probe, PROBE,
             (MPI_Fint * source, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* status, MPI_Fint* error),
             (source, tag, comm, status, error),
             if (others_run()) until_message(*source, *tag, comm_of(comm)));
PLEAT_FORTRAN(mpi, MPI, barrier, BARRIER, (MPI_Fint * comm, MPI_Fint* error),
              MPI_Barrier(comm_of(comm)));
PLEAT_FORTRAN_BODY(mpi, MPI, start, START, (MPI_Fint * request, MPI_Fint* error), {
  MPI_Request handle = request_of(request);
  const int code = start(handle);
  if (error != nullptr) *error = code;
});
PLEAT_FORTRAN_BODY(mpi, MPI, startall, STARTALL,
                   (MPI_Fint * n, MPI_Fint* requests, MPI_Fint* error), {
                     MPI_Fint code = MPI_SUCCESS;
                     for (MPI_Fint i = 0; i < *n && code == MPI_SUCCESS; ++i)
                       PLEAT_FORTRAN_NAME(start)(requests + i, &code);
                     if (error != nullptr) *error = code;
                   });
PLEAT_BEFORE(request_free, REQUEST_FREE, (MPI_Fint * request, MPI_Fint* error), (request, error),
             forget(request_of(request)));

PLEAT_FORTRAN_BODY(mpi, MPI, type_free, TYPE_FREE, (MPI_Fint * type, MPI_Fint* error), {
  MPI_Datatype handle = type_of(type);
  const int code = MPI_Type_free(&handle);
  *type = MPI_Type_c2f(handle);
  if (error != nullptr) *error = code;
});
PLEAT_FORTRAN_BODY(mpi, MPI, op_free, OP_FREE, (MPI_Fint * op, MPI_Fint* error), {
  MPI_Op handle = op_of(op);
  const int code = MPI_Op_free(&handle);
  *op = MPI_Op_c2f(handle);
  if (error != nullptr) *error = code;
});
PLEAT_FORTRAN(mpi, MPI, finalize, FINALIZE, (MPI_Fint * error), MPI_Finalize());
PLEAT_BEFORE(comm_free, COMM_FREE, (MPI_Fint * comm, MPI_Fint* error), (comm, error),
             complete_calls(comm_of(comm)));
PLEAT_BEFORE(comm_disconnect, COMM_DISCONNECT, (MPI_Fint * comm, MPI_Fint* error), (comm, error),
             complete_calls(comm_of(comm));
             meet(comm_of(comm)));

// Calls that make a communicator; the first argument is the one to meet on. All arguments are
// addresses.
#define PLEAT_MAKES_AFTER(before, name, NAME, parameters, ...)              \
  PLEAT_AROUND(name, NAME, parameters, before; MPI_Fint code = MPI_SUCCESS; \
               own(__VA_ARGS__, made, &code);                               \
               if (code == MPI_SUCCESS) communicator::made(comm_of(made));  \
               if (error != nullptr)* error = code;)
#define PLEAT_MAKES(name, NAME, parameters, ...) \
  PLEAT_MAKES_AFTER(meet(comm_of(comm)), name, NAME, parameters, __VA_ARGS__)
#define PLEAT_MADE MPI_Fint *made, MPI_Fint *error
PLEAT_MAKES(comm_dup, COMM_DUP, (MPI_Fint * comm, PLEAT_MADE), comm);
PLEAT_MAKES(comm_dup_with_info, COMM_DUP_WITH_INFO, (MPI_Fint * comm, void* a, PLEAT_MADE), comm,
            a);
PLEAT_MAKES(comm_create, COMM_CREATE, (MPI_Fint * comm, void* a, PLEAT_MADE), comm, a);
PLEAT_MAKES_AFTER((void)0, comm_create_group, COMM_CREATE_GROUP,
                  (MPI_Fint * comm, void* a, void* b, PLEAT_MADE), comm, a, b);
PLEAT_MAKES(cart_sub, CART_SUB, (MPI_Fint * comm, void* a, PLEAT_MADE), comm, a);
PLEAT_MAKES(intercomm_merge, INTERCOMM_MERGE, (MPI_Fint * comm, void* a, PLEAT_MADE), comm, a);
PLEAT_MAKES(comm_split, COMM_SPLIT, (MPI_Fint * comm, void* a, void* b, PLEAT_MADE), comm, a, b);
PLEAT_MAKES(comm_split_type, COMM_SPLIT_TYPE,
            (MPI_Fint * comm, void* a, void* b, void* c, PLEAT_MADE), comm, a, b, c);
PLEAT_MAKES(cart_create, CART_CREATE,
            (MPI_Fint * comm, void* a, void* b, void* c, void* d, PLEAT_MADE), comm, a, b, c, d);
PLEAT_MAKES(graph_create, GRAPH_CREATE,
            (MPI_Fint * comm, void* a, void* b, void* c, void* d, PLEAT_MADE), comm, a, b, c, d);
PLEAT_MAKES(intercomm_create, INTERCOMM_CREATE,
            (MPI_Fint * comm, void* a, void* b, void* c, void* d, PLEAT_MADE), comm, a, b, c, d);
PLEAT_MAKES(dist_graph_create, DIST_GRAPH_CREATE,
            (MPI_Fint * comm, void* a, void* b, void* c, void* d, void* e, void* f, void* g,
             PLEAT_MADE),
            comm, a, b, c, d, e, f, g);
PLEAT_MAKES(dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT,
            (MPI_Fint * comm, void* a, void* b, void* c, void* d, void* e, void* f, void* g,
             void* h, PLEAT_MADE),
            comm, a, b, c, d, e, f, g, h);

#ifdef OPEN_MPI  // calls with buffers
PLEAT_BEFORE(recv, RECV,
             (void* to, MPI_Fint* count, MPI_Fint* type, MPI_Fint* source, MPI_Fint* tag,
              MPI_Fint* comm, MPI_Fint* status, MPI_Fint* error),
             (to, count, type, source, tag, comm, status, error),
             if (others_run()) until_message(*source, *tag, comm_of(comm)));

#define PLEAT_SEND(name, NAME, Name)                                                       \
  PLEAT_FORTRAN(mpi, MPI, name, NAME,                                                      \
                (void* from, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, \
                 MPI_Fint* comm, MPI_Fint* error),                                         \
                MPI_##Name(address(from), *count, type_of(type), *to, *tag, comm_of(comm)))
PLEAT_SEND(send, SEND, Send);
PLEAT_SEND(ssend, SSEND, Ssend);
PLEAT_SEND(rsend, RSEND, Rsend);
PLEAT_AROUND(
    sendrecv, SENDRECV,
    (void* from, MPI_Fint* from_count, MPI_Fint* from_type, MPI_Fint* target, MPI_Fint* from_tag,
     void* to, MPI_Fint* count, MPI_Fint* type, MPI_Fint* source, MPI_Fint* tag, MPI_Fint* comm,
     MPI_Fint* status, MPI_Fint* error),
    if (!others_run()) {
      return own(from, from_count, from_type, target, from_tag, to, count, type, source, tag, comm,
                 status, error);
    } MPI_Fint code = MPI_SUCCESS;
    code = sent(
        comm_of(comm),
        [&](MPI_Request* request) {
          return PMPI_Isend(address(from), *from_count, type_of(from_type), *target, *from_tag,
                            comm_of(comm), request);
        },
        [&] {
          PLEAT_FORTRAN_NAME(recv)(to, count, type, source, tag, comm, status, &code);
          return code;
        });
    if (error != nullptr) * error = code;);
PLEAT_AROUND(
    sendrecv_replace, SENDRECV_REPLACE,
    (void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* target, MPI_Fint* from_tag,
     MPI_Fint* source, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* status, MPI_Fint* error),
    if (!others_run()) {
      return own(data, count, type, target, from_tag, source, tag, comm, status, error);
    } MPI_Fint code = MPI_SUCCESS;
    code = replaced(address(data), *count, type_of(type), *target, *from_tag, comm_of(comm),
                    [&] {
                      PLEAT_FORTRAN_NAME(recv)(data, count, type, source, tag, comm, status, &code);
                      return code;
                    });
    if (error != nullptr) * error = code;);

PLEAT_FORTRAN(mpi, MPI, neighbor_allgather, NEIGHBOR_ALLGATHER,
              (void* from, MPI_Fint* from_count, MPI_Fint* from_type, void* to, MPI_Fint* count,
               MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Neighbor_allgather(address(from), *from_count, type_of(from_type), address(to),
                                     *count, type_of(type), comm_of(comm)));
PLEAT_FORTRAN(mpi, MPI, neighbor_alltoall, NEIGHBOR_ALLTOALL,
              (void* from, MPI_Fint* from_count, MPI_Fint* from_type, void* to, MPI_Fint* count,
               MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Neighbor_alltoall(address(from), *from_count, type_of(from_type), address(to),
                                    *count, type_of(type), comm_of(comm)));
PLEAT_FORTRAN(mpi, MPI, neighbor_allgatherv, NEIGHBOR_ALLGATHERV,
              (void* from, MPI_Fint* from_count, MPI_Fint* from_type, void* to, MPI_Fint* counts,
               MPI_Fint* places, MPI_Fint* type, MPI_Fint* comm, MPI_Fint* error),
              MPI_Neighbor_allgatherv(address(from), *from_count, type_of(from_type), address(to),
                                      counts, places, type_of(type), comm_of(comm)));
PLEAT_FORTRAN(mpi, MPI, neighbor_alltoallv, NEIGHBOR_ALLTOALLV,
              (void* from, MPI_Fint* from_counts, MPI_Fint* from_places, MPI_Fint* from_type,
               void* to, MPI_Fint* counts, MPI_Fint* places, MPI_Fint* type, MPI_Fint* comm,
               MPI_Fint* error),
              MPI_Neighbor_alltoallv(address(from), from_counts, from_places, type_of(from_type),
                                     address(to), counts, places, type_of(type), comm_of(comm)));
#endif

}  // extern "C"
#pragma GCC visibility pop
