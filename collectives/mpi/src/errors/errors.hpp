// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mpi.h>
#include <new>
#include <stdexcept>
#include <utility>

#include "communicator/process.hpp"

namespace pleat::preloaded {

/// Exception for an error code that a call of the MPI returned. The entry point passes it to the
/// program's own error handler.
struct mpi_failure {
  int code;
};

inline void check(int code) {
  if (code != MPI_SUCCESS) throw mpi_failure{code};
}

/// Returns the error code of the exception that is being handled. Throws: the exception, if the
/// program's own functions have thrown it.
[[nodiscard]] inline int code_of_exception() {
  try {
    throw;
  } catch (const mpi_failure& failure) {
    return failure.code;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  } catch (const std::length_error&) {  // of a vector
    return MPI_ERR_NO_MEM;
  }
}

/// First failure of a call that goes on, because other ranks wait for what this one sends.
class deferred_failure {
 public:
  void note(int code) noexcept {
    if (code_ == MPI_SUCCESS) code_ = code;
  }
  /// Throws: mpi_failure, if there was one.
  void raise() const { check(code_); }

 private:
  int code_ = MPI_SUCCESS;
};

/// Makes errors of requests return as long as it lives. MPICH hands them to the handler of
/// MPI_COMM_WORLD instead of that of the request's communicator: it is MPI_ERRORS_RETURN meanwhile,
/// unless other threads may call MPI, whose errors it would hide. For Open MPI it does nothing.
class quiet_requests {
 public:
  quiet_requests() {
#ifdef MPICH_VERSION
    if (here().with_threads || kept != MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &kept);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    is_outermost_ = true;
#endif
  }
  quiet_requests(const quiet_requests&) = delete;
  quiet_requests& operator=(const quiet_requests&) = delete;
  ~quiet_requests() {
    if (!is_outermost_) return;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, kept);
    PMPI_Errhandler_free(&kept);
    kept = MPI_ERRHANDLER_NULL;
  }

  /// Tells whether errors are hidden, so that no handler has been called for them.
  static bool hides_errors() noexcept { return kept != MPI_ERRHANDLER_NULL; }

 private:
  friend void report_failure(MPI_Comm comm, int code);

  static inline MPI_Errhandler kept = MPI_ERRHANDLER_NULL;  // of MPI_COMM_WORLD
  bool is_outermost_ = false;
};

/// Calls the error handler of the program's communicator, or, when it has been freed, that of
/// MPI_COMM_WORLD.
inline void report_failure(MPI_Comm comm, int code) {
  if (comm == MPI_COMM_NULL) comm = MPI_COMM_WORLD;
  const MPI_Errhandler kept = std::exchange(quiet_requests::kept, MPI_ERRHANDLER_NULL);
  if (kept != MPI_ERRHANDLER_NULL) PMPI_Comm_set_errhandler(MPI_COMM_WORLD, kept);
  PMPI_Comm_call_errhandler(comm, code);
  if (kept == MPI_ERRHANDLER_NULL) return;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  quiet_requests::kept = kept;
}

/// Reports the exception that is being handled as an error of a call on `comm`. Returns its code.
inline int report_exception(MPI_Comm comm) {
  const int code = code_of_exception();
  report_failure(comm, code);
  return code;
}

}  // namespace pleat::preloaded

// Handler of the body of a function that the program calls: exceptions end here, as errors on
// `comm`. MPI_COMM_WORLD has those of calls without a communicator.
#define PLEAT_ERRORS_ON(comm)                        \
  catch (...) {                                      \
    return pleat::preloaded::report_exception(comm); \
  }
