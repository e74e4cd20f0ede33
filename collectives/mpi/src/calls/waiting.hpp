// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mpi.h>

#include "calls/forms.hpp"

// Calls in which a program waits for messages, as they are performed while calls of ours are
// running: they make progress meanwhile.
namespace pleat::preloaded {

/// Calls test(&done), which returns the MPI's error code, until it is done or has an error. Returns
/// the code.
template <class Test> int tested(const Test& test) {
  int code = MPI_SUCCESS, done = 0;
  progress_until([&] {
    code = test(&done);
    return code != MPI_SUCCESS || done != 0;
  });
  return code;
}

/// Waits for each of n requests, in their order: Testall of all would cost their square, and MPICH
/// cannot test its own persistent ones together.
inline int waited_for_all(int n, MPI_Request* requests, MPI_Status* statuses) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < n; ++i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
    const int code = tested([&](int* done) { return PMPI_Test(requests + i, done, status); });
    if (code != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
  }
  return result;
}

/// Waits until a message is there.
inline int until_message(int source, int tag, MPI_Comm comm) {
  return tested([&](int* done) { return PMPI_Iprobe(source, tag, comm, done, MPI_STATUS_IGNORE); });
}

/// Waits for a message and takes it, so that no other thread receives it, for MPI_Mrecv.
inline int matched(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return tested([&](int* done) { return PMPI_Improbe(source, tag, comm, done, message, status); });
}

/// Receives by receive(source, status), MPI_Recv, or by matched_receive(message), MPI_Mrecv: only
/// that keeps the message from other threads, and only the former has errors on the communicator.
/// Wrong arguments are found first, by receiving from nobody.
template <class Receive, class MatchedReceive>
int received(int source, int tag, MPI_Comm comm, MPI_Status* status, const Receive& receive,
             const MatchedReceive& matched_receive) {
  int code = receive(MPI_PROC_NULL, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  if (!here().with_threads) {
    code = until_message(source, tag, comm);
    return code != MPI_SUCCESS ? code : receive(source, status);
  }
  MPI_Message message = MPI_MESSAGE_NULL;
  code = matched(source, tag, comm, &message, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS ? code : matched_receive(message);
}

/// Sends by start(request), which begins a send, and calls meanwhile() until it is done.
template <class Start, class Meanwhile>
int sent(MPI_Comm comm, const Start& start, const Meanwhile& meanwhile) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = start(&request);
  if (code != MPI_SUCCESS) return code;
  const int other = meanwhile(), own = finished(comm, request);
  return other != MPI_SUCCESS ? other : own;
}
template <class Start> int sent(MPI_Comm comm, const Start& start) {
  return sent(comm, start, [] { return MPI_SUCCESS; });
}

/// Sends a packed copy of elements, so that receive() may put others in their place meanwhile.
template <class Receive>
int replaced(const void* data, MPI_Count count, MPI_Datatype type, int target, int tag,
             MPI_Comm comm, const Receive& receive) try {
  const int number = static_cast<int>(count);
  int most = 0, bytes = 0;
  int code = number == count ? PMPI_Pack_size(number, type, comm, &most) : MPI_ERR_COUNT;
  if (code != MPI_SUCCESS) return code;
  const auto packed = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(most));
  code = PMPI_Pack(data, number, type, packed.get(), most, &bytes, comm);
  if (code != MPI_SUCCESS) return code;
  return sent(
      comm,
      [&](MPI_Request* request) {
        return PMPI_Isend(packed.get(), bytes, MPI_PACKED, target, tag, comm, request);
      },
      receive);
}
PLEAT_ERRORS_ON(comm)

}  // namespace pleat::preloaded

// Calls of n parameters that look whether something has happened, by their names in C and Fortran.
#define PLEAT_CALLS_THAT_LOOK(CALL)                                   \
  CALL(test, TEST, Test, 3)                                           \
  CALL(testall, TESTALL, Testall, 4)                                  \
  CALL(testany, TESTANY, Testany, 5)                                  \
  CALL(testsome, TESTSOME, Testsome, 5)                               \
  CALL(request_get_status, REQUEST_GET_STATUS, Request_get_status, 3) \
  CALL(iprobe, IPROBE, Iprobe, 5)                                     \
  CALL(improbe, IMPROBE, Improbe, 6)
// Calls that make a communicator, the last argument; the first one is that to meet on.
#define PLEAT_CALLS_THAT_MAKE(CALL)                                                                \
  CALL(comm_dup, COMM_DUP, Comm_dup, 2, a1)                                                        \
  CALL(comm_dup_with_info, COMM_DUP_WITH_INFO, Comm_dup_with_info, 3, a2)                          \
  CALL(comm_create, COMM_CREATE, Comm_create, 3, a2)                                               \
  CALL(comm_split, COMM_SPLIT, Comm_split, 4, a3)                                                  \
  CALL(comm_split_type, COMM_SPLIT_TYPE, Comm_split_type, 5, a4)                                   \
  CALL(cart_create, CART_CREATE, Cart_create, 6, a5)                                               \
  CALL(cart_sub, CART_SUB, Cart_sub, 3, a2)                                                        \
  CALL(graph_create, GRAPH_CREATE, Graph_create, 6, a5)                                            \
  CALL(dist_graph_create, DIST_GRAPH_CREATE, Dist_graph_create, 9, a8)                             \
  CALL(dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, Dist_graph_create_adjacent, 10, a9) \
  CALL(intercomm_create, INTERCOMM_CREATE, Intercomm_create, 6, a5)                                \
  CALL(intercomm_merge, INTERCOMM_MERGE, Intercomm_merge, 3, a2)
