// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "operation.hpp"

namespace pleat::preloaded {

/// One call of a fixed size, by us and by the MPI. Memory is written before it is timed.
class tuned_call {
 public:
  /// `bytes` of all parts together, rounded up to whole doubles, equal on all ranks but for
  /// allgatherv: there every second rank has nothing.
  tuned_call(operation what, std::size_t bytes, MPI_Comm comm);

  void ours();
  void mpi_s_own();

  /// Have both the same result? Collective.
  [[nodiscard]] bool agree();

 private:
  operation what_;
  MPI_Comm comm_;
  int count_;  // of doubles: of the vector, or of a part
  std::vector<int> counts_, places_;
  std::vector<double> in_, out_;
};

}  // namespace pleat::preloaded
