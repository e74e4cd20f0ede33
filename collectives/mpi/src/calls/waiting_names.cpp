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

#pragma GCC visibility push(default)
extern "C" {

#define PLEAT_NAME(name) name
#define PLEAT_OWN(name) P##name
#define PLEAT_COUNT int
#include "calls/waiting.inc"

#if MPI_VERSION >= 4
#define PLEAT_NAME(name) name##_c
#define PLEAT_OWN(name) P##name##_c
#define PLEAT_COUNT MPI_Count
#include "calls/waiting.inc"
#endif

PLEAT_MEETS(MPI_Barrier, 1, a0)

// Calls that wait for requests. Of files and generalized requests, only such calls make progress as
// test them to complete them.
int MPI_Wait(MPI_Request* request, MPI_Status* status) try {
  if (!others_run()) return PMPI_Wait(request, status);
  return tested([&](int* done) { return PMPI_Test(request, done, status); });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Waitall(int n, MPI_Request* requests, MPI_Status* statuses) try {
  if (!others_run() || n <= 0 || requests == nullptr) return PMPI_Waitall(n, requests, statuses);
  return waited_for_all(n, requests, statuses);
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Waitany(int n, MPI_Request* requests, int* index, MPI_Status* status) try {
  if (!others_run()) return PMPI_Waitany(n, requests, index, status);
  return tested([&](int* done) { return PMPI_Testany(n, requests, index, done, status); });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Waitsome(int n, MPI_Request* requests, int* number, int* indices,
                 MPI_Status* statuses) try {
  if (!others_run()) return PMPI_Waitsome(n, requests, number, indices, statuses);
  return tested([&](int* done) {
    const int code = PMPI_Testsome(n, requests, number, indices, statuses);
    *done = *number;
    return code;
  });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) try {
  const int code = others_run() ? until_message(source, tag, comm) : MPI_SUCCESS;
  return code != MPI_SUCCESS ? code : PMPI_Probe(source, tag, comm, status);
}
PLEAT_ERRORS_ON(comm)
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) try {
  if (!others_run()) return PMPI_Mprobe(source, tag, comm, message, status);
  return matched(source, tag, comm, message, status);
}
PLEAT_ERRORS_ON(comm)

// Calls that look whether something has happened.
PLEAT_LOOKS(MPI_Test, 3)
PLEAT_LOOKS(MPI_Testall, 4)
PLEAT_LOOKS(MPI_Testany, 5)
PLEAT_LOOKS(MPI_Testsome, 5)
PLEAT_LOOKS(MPI_Request_get_status, 3)
PLEAT_LOOKS(MPI_Iprobe, 5)
PLEAT_LOOKS(MPI_Improbe, 6)
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
#define PLEAT_MAKES_COMM(name, n, comm) PLEAT_MAKES(name, n, a0, communicator::made(*(comm)))
PLEAT_MAKES_COMM(MPI_Comm_dup, 2, a1)
PLEAT_MAKES_COMM(MPI_Comm_dup_with_info, 3, a2)
PLEAT_MAKES_COMM(MPI_Comm_create, 3, a2)
PLEAT_MAKES_COMM(MPI_Comm_split, 4, a3)
PLEAT_MAKES_COMM(MPI_Comm_split_type, 5, a4)
PLEAT_MAKES_COMM(MPI_Cart_create, 6, a5)
PLEAT_MAKES_COMM(MPI_Cart_sub, 3, a2)
PLEAT_MAKES_COMM(MPI_Graph_create, 6, a5)
PLEAT_MAKES_COMM(MPI_Dist_graph_create, 9, a8)
PLEAT_MAKES_COMM(MPI_Dist_graph_create_adjacent, 10, a9)
PLEAT_MAKES_COMM(MPI_Intercomm_create, 6, a5)
PLEAT_MAKES_COMM(MPI_Intercomm_merge, 3, a2)
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
