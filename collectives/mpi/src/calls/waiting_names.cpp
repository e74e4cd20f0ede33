// SPDX-License-Identifier: Apache-2.0
// MPI's names of the calls in which programs wait, or end what calls of ours may use.
#include <mpi.h>

#include "calls/waiting.hpp"
#include "communicator/meeting.hpp"
#include "data/held.hpp"
#include "running/persistent_calls.hpp"

using namespace pleat::preloaded;

#pragma GCC visibility push(default)
extern "C" {

#define PLEAT_NAME(name) name
#define PLEAT_OWN(name) P##name
#define PLEAT_COUNT int
#define PLEAT_PLACE int
#include "calls/waiting.inc"

#if MPI_VERSION >= 4
#define PLEAT_NAME(name) name##_c
#define PLEAT_OWN(name) P##name##_c
#define PLEAT_COUNT MPI_Count
#define PLEAT_PLACE MPI_Aint
#include "calls/waiting.inc"
#endif

int MPI_Barrier(MPI_Comm comm) try { return blocking<PMPI_Barrier>::by_the_mpi(comm); }
PLEAT_ERRORS_ON(comm)

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
#define PLEAT_LOOKS(name, parameters, arguments) \
  int name parameters try {                      \
    advance();                                   \
    return P##name arguments;                    \
  }                                              \
  PLEAT_ERRORS_ON(MPI_COMM_WORLD)
PLEAT_LOOKS(MPI_Test, (MPI_Request * request, int* flag, MPI_Status* status),
            (request, flag, status))
PLEAT_LOOKS(MPI_Testall, (int n, MPI_Request* requests, int* flag, MPI_Status* statuses),
            (n, requests, flag, statuses))
PLEAT_LOOKS(MPI_Testany, (int n, MPI_Request* requests, int* index, int* flag, MPI_Status* status),
            (n, requests, index, flag, status))
PLEAT_LOOKS(MPI_Testsome,
            (int n, MPI_Request* requests, int* number, int* indices, MPI_Status* statuses),
            (n, requests, number, indices, statuses))
PLEAT_LOOKS(MPI_Request_get_status, (MPI_Request request, int* flag, MPI_Status* status),
            (request, flag, status))
PLEAT_LOOKS(MPI_Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
            (source, tag, comm, flag, status))
PLEAT_LOOKS(MPI_Improbe,
            (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
             MPI_Status* status),
            (source, tag, comm, flag, message, status))

PLEAT_LOOKS(MPI_Win_test, (MPI_Win window, int* flag), (window, flag))
#if MPI_VERSION >= 4
PLEAT_LOOKS(MPI_Parrived, (MPI_Request request, int part, int* flag), (request, part, flag))
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
int MPI_Request_free(MPI_Request* request) try {
  forget(*request);
  return PMPI_Request_free(request);
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

// Handles that calls may still use.
int MPI_Type_free(MPI_Datatype* type) try {
  return freed<held_type, PMPI_Type_free>(type, MPI_DATATYPE_NULL);
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
int MPI_Op_free(MPI_Op* op) try { return freed<held_op, PMPI_Op_free>(op, MPI_OP_NULL); }
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

// Collective calls without a non-blocking form.
#define PLEAT_MEETS(name, comm, parameters, arguments) \
  int name parameters try {                            \
    meet(comm);                                        \
    return P##name arguments;                          \
  }                                                    \
  PLEAT_ERRORS_ON(comm)
// Calls that make a communicator. MPI_Comm_create_group has ranks of the group alone, which cannot
// meet on another communicator.
#define PLEAT_MAKES_AFTER(before, name, parameters, arguments) \
  int name parameters try {                                    \
    before;                                                    \
    const int code = P##name arguments;                        \
    if (code == MPI_SUCCESS) communicator::made(*made);        \
    return code;                                               \
  }                                                            \
  PLEAT_ERRORS_ON(comm)
#define PLEAT_MAKES(name, parameters, arguments) \
  PLEAT_MAKES_AFTER(meet(comm), name, parameters, arguments)
PLEAT_MAKES_AFTER((void)0, MPI_Comm_create_group,
                  (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
                  (comm, group, tag, made))
PLEAT_MAKES(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
PLEAT_MAKES(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made),
            (comm, info, made))
PLEAT_MAKES(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
PLEAT_MAKES(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made),
            (comm, color, key, made))
PLEAT_MAKES(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
            (comm, type, key, info, made))
PLEAT_MAKES(MPI_Cart_create,
            (MPI_Comm comm, int n, const int* sizes, const int* periodic, int reorder,
             MPI_Comm* made),
            (comm, n, sizes, periodic, reorder, made))
PLEAT_MAKES(MPI_Cart_sub, (MPI_Comm comm, const int* remain, MPI_Comm* made), (comm, remain, made))
PLEAT_MAKES(MPI_Graph_create,
            (MPI_Comm comm, int n, const int* index, const int* edges, int reorder, MPI_Comm* made),
            (comm, n, index, edges, reorder, made))
PLEAT_MAKES(MPI_Dist_graph_create,
            (MPI_Comm comm, int n, const int* sources, const int* degrees, const int* targets,
             const int* weights, MPI_Info info, int reorder, MPI_Comm* made),
            (comm, n, sources, degrees, targets, weights, info, reorder, made))
PLEAT_MAKES(MPI_Dist_graph_create_adjacent,
            (MPI_Comm comm, int in, const int* sources, const int* source_weights, int out,
             const int* targets, const int* target_weights, MPI_Info info, int reorder,
             MPI_Comm* made),
            (comm, in, sources, source_weights, out, targets, target_weights, info, reorder, made))
PLEAT_MAKES(MPI_Intercomm_create,
            (MPI_Comm comm, int leader, MPI_Comm peers, int other_leader, int tag, MPI_Comm* made),
            (comm, leader, peers, other_leader, tag, made))
PLEAT_MAKES(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), (comm, high, made))

PLEAT_MEETS(MPI_Comm_set_info, comm, (MPI_Comm comm, MPI_Info info), (comm, info))
int MPI_Comm_free(MPI_Comm* comm) try {
  complete_calls(*comm);
  return PMPI_Comm_free(comm);
}
PLEAT_ERRORS_ON(*comm)
int MPI_Comm_disconnect(MPI_Comm* comm) try {
  complete_calls(*comm);
  meet(*comm);
  return PMPI_Comm_disconnect(comm);
}
PLEAT_ERRORS_ON(*comm)
int MPI_Finalize() try {
  progress_until([] { return !any_call_runs(); });
  return PMPI_Finalize();
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

using windows = meeting_places<MPI_Win>;
#define PLEAT_MAKES_WINDOW(name, parameters, arguments)  \
  int name parameters try {                              \
    meet(comm);                                          \
    const int code = P##name arguments;                  \
    if (code == MPI_SUCCESS) windows::make(*made, comm); \
    return code;                                         \
  }                                                      \
  PLEAT_ERRORS_ON(comm)
PLEAT_MAKES_WINDOW(MPI_Win_create,
                   (void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                    MPI_Win* made),
                   (base, bytes, unit, info, comm, made))
PLEAT_MAKES_WINDOW(MPI_Win_allocate,
                   (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base,
                    MPI_Win* made),
                   (bytes, unit, info, comm, base, made))
PLEAT_MAKES_WINDOW(MPI_Win_allocate_shared,
                   (MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base,
                    MPI_Win* made),
                   (bytes, unit, info, comm, base, made))
PLEAT_MAKES_WINDOW(MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* made),
                   (info, comm, made))
PLEAT_MEETS(MPI_Win_fence, windows::of(window), (int assertion, MPI_Win window),
            (assertion, window))
PLEAT_MEETS(MPI_Win_set_info, windows::of(window), (MPI_Win window, MPI_Info info), (window, info))
int MPI_Win_free(MPI_Win* window) try {
  return windows::end(*window, [&] { return PMPI_Win_free(window); });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)

using files = meeting_places<MPI_File>;
int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* made) try {
  meet(comm);
  const int code = PMPI_File_open(comm, name, mode, info, made);
  if (code == MPI_SUCCESS) files::make(*made, comm);
  return code;
}
PLEAT_ERRORS_ON(comm)
int MPI_File_close(MPI_File* file) try {
  return files::end(*file, [&] { return PMPI_File_close(file); });
}
PLEAT_ERRORS_ON(MPI_COMM_WORLD)
#define PLEAT_FILES_MEET(name, parameters, arguments) \
  PLEAT_MEETS(name, files::of(file), parameters, arguments)
PLEAT_FILES_MEET(MPI_File_set_size, (MPI_File file, MPI_Offset bytes), (file, bytes))
PLEAT_FILES_MEET(MPI_File_preallocate, (MPI_File file, MPI_Offset bytes), (file, bytes))
PLEAT_FILES_MEET(MPI_File_seek_shared, (MPI_File file, MPI_Offset place, int from),
                 (file, place, from))
PLEAT_FILES_MEET(MPI_File_set_info, (MPI_File file, MPI_Info info), (file, info))
PLEAT_FILES_MEET(MPI_File_sync, (MPI_File file), (file))
PLEAT_FILES_MEET(MPI_File_set_atomicity, (MPI_File file, int flag), (file, flag))
PLEAT_FILES_MEET(MPI_File_set_view,
                 (MPI_File file, MPI_Offset place, MPI_Datatype unit, MPI_Datatype view,
                  const char* name, MPI_Info info),
                 (file, place, unit, view, name, info))
#define PLEAT_MOVES(name, constant)                                                             \
  PLEAT_FILES_MEET(                                                                             \
      name, (MPI_File file, constant void* data, int n, MPI_Datatype type, MPI_Status* status), \
      (file, data, n, type, status))
PLEAT_MOVES(MPI_File_read_all, )
PLEAT_MOVES(MPI_File_read_ordered, )
PLEAT_MOVES(MPI_File_write_all, const)
PLEAT_MOVES(MPI_File_write_ordered, const)
#define PLEAT_MOVES_AT(name, constant)                                           \
  PLEAT_FILES_MEET(name,                                                         \
                   (MPI_File file, MPI_Offset place, constant void* data, int n, \
                    MPI_Datatype type, MPI_Status* status),                      \
                   (file, place, data, n, type, status))
PLEAT_MOVES_AT(MPI_File_read_at_all, )
PLEAT_MOVES_AT(MPI_File_write_at_all, const)

}  // extern "C"
#pragma GCC visibility pop
