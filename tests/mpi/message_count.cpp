// SPDX-License-Identifier: Apache-2.0
//
// Preloaded below the collectives: counts the messages they send. With PLEAT_MESSAGE_LOG=PREFIX
// rank r also writes into PREFIX.r what it does, in its order, for collectives/mpi/forecast:
//
//     send ID TO BYTES      recv ID FROM BYTES      wait ID      combine BYTES
//     begin OPERATION BYTES                          (from MPI_Pcontrol(1, "OPERATION BYTES"))
#include "message_count.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mpi.h>
#include <string>

namespace {

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

message_count counted;
void add(std::uint64_t& to, std::uint64_t what) { std::atomic_ref(to) += what; }

std::FILE* log_file() {
  static std::FILE* const file = [] {
    const char* const prefix = std::getenv("PLEAT_MESSAGE_LOG");
    if (prefix == nullptr) return static_cast<std::FILE*>(nullptr);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return std::fopen((std::string(prefix) + "." + std::to_string(rank)).c_str(), "w");
  }();
  return file;
}

std::uint64_t identities = 0;
std::map<MPI_Request*, std::uint64_t>& under_way() {
  static std::map<MPI_Request*, std::uint64_t> requests;
  return requests;
}

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

// The communicator of all logged messages has the ranks of MPI_COMM_WORLD.
void log(const char* what, MPI_Request* request, int rank, std::uint64_t bytes) {
  if (log_file() == nullptr) return;
  under_way()[request] = identities;
  std::fprintf(log_file(), "%s %llu %d %llu\n", what, static_cast<unsigned long long>(identities++),
               rank, static_cast<unsigned long long>(bytes));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

message_count* pleat_message_count() { return &counted; }

std::uint64_t pleat_messages_sent() { return counted.sent; }  // for Fortran

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static auto* const real = next<decltype(PMPI_Isend)>("PMPI_Isend");
  add(counted.sent, 1);
  add(counted.sent_bytes, bytes_of(count, type));
  log("send", request, to, bytes_of(count, type));
  return real(buffer, count, type, to, tag, comm, request);
}

int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static auto* const real = next<decltype(PMPI_Irecv)>("PMPI_Irecv");
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  if (ranks == 1)
    return real(buffer, count, type, from, tag, comm, request);  // of a rank to itself
  add(counted.received, 1);
  add(counted.received_bytes, bytes_of(count, type));
  log("recv", request, from, bytes_of(count, type));
  return real(buffer, count, type, from, tag, comm, request);
}

#define PLEAT_COUNTED(count, name, parameters, arguments)                 \
  int PMPI_##name parameters {                                            \
    static auto* const real = next<decltype(PMPI_##name)>("PMPI_" #name); \
    add(counted.count, 1);                                                \
    return real arguments;                                                \
  }
PLEAT_COUNTED(collectives, Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
PLEAT_COUNTED(collectives, Iallgather,
              (const void* from, int count, MPI_Datatype type, void* to, int to_count,
               MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request),
              (from, count, type, to, to_count, to_type, comm, request))
PLEAT_COUNTED(collectives, Iallreduce,
              (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
               MPI_Request* request),
              (from, to, count, type, op, comm, request))
PLEAT_COUNTED(testalls, Testall, (int n, MPI_Request* requests, int* flag, MPI_Status* statuses),
              (n, requests, flag, statuses))

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  static auto* const real = next<decltype(PMPI_Wait)>("PMPI_Wait");
  if (log_file() != nullptr && under_way().contains(request)) {
    std::fprintf(log_file(), "wait %llu\n", static_cast<unsigned long long>(under_way()[request]));
    under_way().erase(request);
  }
  return real(request, status);
}

int PMPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  static auto* const real = next<decltype(PMPI_Reduce_local)>("PMPI_Reduce_local");
  if (log_file() != nullptr) {
    std::fprintf(log_file(), "combine %llu\n",
                 static_cast<unsigned long long>(bytes_of(count, type)));
  }
  return real(in, inout, count, type, op);
}

int MPI_Pcontrol(const int level, ...) {
  std::va_list arguments;
  va_start(arguments, level);
  if (level == 1 && log_file() != nullptr) {
    std::fprintf(log_file(), "begin %s\n", va_arg(arguments, const char*));
    std::fflush(log_file());
  }
  va_end(arguments);
  return MPI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
