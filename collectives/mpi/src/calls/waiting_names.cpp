// SPDX-License-Identifier: Apache-2.0
// MPI's names of the calls in which programs wait, or end what calls of ours may use.
#include <mpi.h>

#include "calls/parameters.hpp"
#include "calls/waiting.hpp"
#include "communicator/meeting.hpp"
#include "data/held.hpp"
#include "running/persistent_calls.hpp"

using namespace pleat::preloaded;

// Defines a function of n parameters that does something before the MPI's own. Errors are those of
// a communicator.
#define PLEAT_FORWARD(name, own, n, comm, ...) \
  int name(PLEAT_PARAMETERS(n, own)) try {     \
    __VA_ARGS__;                               \
    return own(PLEAT_ARGUMENTS(n));            \
  }                                            \
  PLEAT_ERRORS_ON(comm)
#define PLEAT_LOOKS(name, n) PLEAT_FORWARD(name, P##name, n, MPI_COMM_WORLD, advance())
#define PLEAT_MEETS(name, n, comm) PLEAT_FORWARD(name, P##name, n, comm, meet(comm))
// One whose code is that of an expression while calls of ours are running.
#define PLEAT_WAITS(name, n, comm, ...) \
  PLEAT_FORWARD(name, P##name, n, comm, if (others_run()) return __VA_ARGS__)

// Calls that wait for messages.
#define PLEAT_SEND(name, start)                                 \
  PLEAT_WAITS(name, 6, a5, sent(a5, [&](MPI_Request* request) { \
                return P##start(PLEAT_ARGUMENTS(6), request);   \
              }))
#define PLEAT_RECEIVE(name, take)                                       \
  PLEAT_WAITS(name, 7, a5,                                              \
              received(                                                 \
                  a3, a4, a5, a6,                                       \
                  [&](int source, MPI_Status* status) {                 \
                    return P##name(a0, a1, a2, source, a4, a5, status); \
                  },                                                    \
                  [&](MPI_Message message) { return P##take(a0, a1, a2, &message, a6); }))
// Arguments 0 … 4 are sent, 5 … 9 are received, on communicator 10, with status 11.
#define PLEAT_EXCHANGE(name, start, receive)                                                     \
  PLEAT_WAITS(                                                                                   \
      name, 12, a10,                                                                             \
      sent(                                                                                      \
          a10, [&](MPI_Request* request) { return P##start(PLEAT_ARGUMENTS(5), a10, request); }, \
          [&] { return receive(a5, a6, a7, a8, a9, a10, a11); }))
// Data, count and type come first, then where they go, their tag, where others come from, their
// tag.
#define PLEAT_REPLACE(name, receive)                                                      \
  PLEAT_WAITS(name, 9, a7, replaced(a0, static_cast<MPI_Count>(a1), a2, a3, a4, a7, [&] { \
                return receive(a0, a1, a2, a5, a6, a7, a8);                               \
              }))
// Calls with counts: the names of those with large ones end in _c.
#define PLEAT_WITH_COUNTS(c)                                 \
  PLEAT_SEND(MPI_Send##c, MPI_Isend##c)                      \
  PLEAT_SEND(MPI_Ssend##c, MPI_Issend##c)                    \
  PLEAT_SEND(MPI_Rsend##c, MPI_Irsend##c)                    \
  PLEAT_RECEIVE(MPI_Recv##c, MPI_Mrecv##c)                   \
  PLEAT_EXCHANGE(MPI_Sendrecv##c, MPI_Isend##c, MPI_Recv##c) \
  PLEAT_REPLACE(MPI_Sendrecv_replace##c, MPI_Recv##c)        \
  PLEAT_MEETS(MPI_Neighbor_allgather##c, 7, a6)              \
  PLEAT_MEETS(MPI_Neighbor_allgatherv##c, 8, a7)             \
  PLEAT_MEETS(MPI_Neighbor_alltoall##c, 7, a6)               \
  PLEAT_MEETS(MPI_Neighbor_alltoallv##c, 9, a8)              \
  PLEAT_MEETS(MPI_Neighbor_alltoallw##c, 9, a8)

#pragma GCC visibility push(default)
extern "C" {

PLEAT_WITH_COUNTS()
#if MPI_VERSION >= 4
PLEAT_WITH_COUNTS(_c)
#endif
PLEAT_MEETS(MPI_Barrier, 1, a0)
PLEAT_FORWARD(MPI_Probe, PMPI_Probe, 4, a2,
              if (const int code = others_run() ? until_message(a0, a1, a2) : MPI_SUCCESS;
                  code != MPI_SUCCESS) return code)
PLEAT_WAITS(MPI_Mprobe, 5, a2, matched(PLEAT_ARGUMENTS(5)))

// Calls that wait for requests. Of files and generalized requests, only such calls make progress as
// test them to complete them.
PLEAT_WAITS(MPI_Wait, 2, MPI_COMM_WORLD, tested([&](int* done) { return PMPI_Test(a0, done, a1); }))
PLEAT_WAITS(MPI_Waitall, 3, MPI_COMM_WORLD,
            (a0 <= 0 || a1 == nullptr ? PMPI_Waitall : waited_for_all)(a0, a1, a2))
PLEAT_WAITS(MPI_Waitany, 4, MPI_COMM_WORLD,
            tested([&](int* done) { return PMPI_Testany(a0, a1, a2, done, a3); }))
PLEAT_WAITS(MPI_Waitsome, 5, MPI_COMM_WORLD, tested([&](int* done) {
              const int code = PMPI_Testsome(PLEAT_ARGUMENTS(5));
              *done = *a2;
              return code;
            }))

// Calls that look whether something has happened.
#define PLEAT_LOOKING(name, NAME, Name, n) PLEAT_LOOKS(MPI_##Name, n)
PLEAT_CALLS_THAT_LOOK(PLEAT_LOOKING)
PLEAT_LOOKS(MPI_Win_test, 2)
#if MPI_VERSION >= 4
PLEAT_LOOKS(MPI_Parrived, 3)
#endif

// Persistent requests.
int MPI_Start(MPI_Request* request) try { return start(*request); }
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Startall(int n, MPI_Request* requests) try {
  if (!any_kept()) return PMPI_Startall(n, requests);
  int code = MPI_SUCCESS;
  for (int i = 0; i < n && code == MPI_SUCCESS; ++i) code = start(requests[i]);
  return code;
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
PLEAT_FORWARD(MPI_Request_free, PMPI_Request_free, 1, MPI_COMM_WORLD, forget(*a0))

// Handles that calls may still use.
int MPI_Type_free(MPI_Datatype* type) try {
  return freed<held_type, PMPI_Type_free>(type, MPI_DATATYPE_NULL);
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Op_free(MPI_Op* op) try { return freed<held_op, PMPI_Op_free>(op, MPI_OP_NULL); }
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

// Collective calls without a non-blocking form that make something.
#define PLEAT_MAKES(name, n, comm, ...)           \
  int name(PLEAT_PARAMETERS(n, P##name)) try {    \
    meet(comm);                                   \
    const int code = P##name(PLEAT_ARGUMENTS(n)); \
    if (code == MPI_SUCCESS) __VA_ARGS__;         \
    return code;                                  \
  }                                               \
  PLEAT_ERRORS_ON(comm)
#define PLEAT_MAKES_COMM(name, NAME, Name, n, comm) \
  PLEAT_MAKES(MPI_##Name, n, a0, communicator::made(*(comm)))
PLEAT_CALLS_THAT_MAKE(PLEAT_MAKES_COMM)
// Its ranks are those of the group alone, which cannot meet on another communicator.
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) try {
  const int code = PMPI_Comm_create_group(comm, group, tag, made);
  if (code == MPI_SUCCESS) communicator::made(*made);
  return code;
}
PLEAT_ERRORS_ON(comm)

PLEAT_MEETS(MPI_Comm_set_info, 2, a0)
PLEAT_FORWARD(MPI_Comm_free, PMPI_Comm_free, 1, *a0, complete_calls(*a0))
PLEAT_FORWARD(MPI_Comm_disconnect, PMPI_Comm_disconnect, 1, *a0, complete_calls(*a0); meet(*a0))
int MPI_Finalize() try {
  progress_until([] { return !any_call_runs(); });
  return PMPI_Finalize();
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

using windows = meeting_places<MPI_Win>;
PLEAT_MAKES(MPI_Win_create, 6, a4, windows::make(*a5, a4))
PLEAT_MAKES(MPI_Win_allocate, 6, a3, windows::make(*a5, a3))
PLEAT_MAKES(MPI_Win_allocate_shared, 6, a3, windows::make(*a5, a3))
PLEAT_MAKES(MPI_Win_create_dynamic, 3, a1, windows::make(*a2, a1))
PLEAT_MEETS(MPI_Win_fence, 2, windows::of(a1))
PLEAT_MEETS(MPI_Win_set_info, 2, windows::of(a0))
int MPI_Win_free(MPI_Win* window) try {
  return windows::end(*window, [&] { return PMPI_Win_free(window); });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

using files = meeting_places<MPI_File>;
PLEAT_MAKES(MPI_File_open, 5, a0, files::make(*a4, a0))
int MPI_File_close(MPI_File* file) try {
  return files::end(*file, [&] { return PMPI_File_close(file); });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
#define PLEAT_FILES_MEET(name, n) PLEAT_MEETS(name, n, files::of(a0))
PLEAT_FILES_MEET(MPI_File_set_size, 2)
PLEAT_FILES_MEET(MPI_File_preallocate, 2)
PLEAT_FILES_MEET(MPI_File_seek_shared, 3)
PLEAT_FILES_MEET(MPI_File_set_info, 2)
PLEAT_FILES_MEET(MPI_File_sync, 1)
PLEAT_FILES_MEET(MPI_File_set_atomicity, 2)
PLEAT_FILES_MEET(MPI_File_set_view, 6)
PLEAT_FILES_MEET(MPI_File_read_all, 5)
PLEAT_FILES_MEET(MPI_File_read_ordered, 5)
PLEAT_FILES_MEET(MPI_File_write_all, 5)
PLEAT_FILES_MEET(MPI_File_write_ordered, 5)
PLEAT_FILES_MEET(MPI_File_read_at_all, 6)
PLEAT_FILES_MEET(MPI_File_write_at_all, 6)

}  // extern "C"
#pragma GCC visibility pop
