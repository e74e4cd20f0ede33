// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mpi.h>
#include <new>
#include <stdexcept>

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

}  // namespace pleat::preloaded
