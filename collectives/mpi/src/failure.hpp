// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace pleat::preloaded {

/// Exception for an error code that a call of the MPI returned. The entry point passes it to the
/// program's own error handler.
struct mpi_failure {
  int code;
};

inline void check(int code) {
  if (code != MPI_SUCCESS) throw mpi_failure{code};
}

/// First failure of a call that goes on, because other ranks wait for what this one sends.
class deferred_failure {
 public:
  void note(int code) noexcept {
    if (code_ == MPI_SUCCESS) code_ = code;
  }
  template <class Work> void attempt(const Work& work) {
    try {
      work();
    } catch (const mpi_failure& failure) {
      note(failure.code);
    }
  }
  /// Throws: mpi_failure, if there was one.
  void raise() const { check(code_); }

 private:
  int code_ = MPI_SUCCESS;
};

}  // namespace pleat::preloaded
