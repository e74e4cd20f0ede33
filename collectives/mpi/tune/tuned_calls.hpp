// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

#include "settings/operation.hpp"

namespace pleat::preloaded {

/// One implementation of the operations, with the arguments of MPI's functions.
struct collective_calls {
#define PLEAT_OPERATION(name, call) decltype(PMPI_##call)* name;
  PLEAT_OPERATIONS(PLEAT_OPERATION)
#undef PLEAT_OPERATION
};

#define PLEAT_OPERATION(name, call) PMPI_##call,
inline constexpr collective_calls calls_of_the_mpi{PLEAT_OPERATIONS(PLEAT_OPERATION)};
#undef PLEAT_OPERATION

/// One call of a fixed size. Memory is written before it is timed.
class tuned_call {
 public:
  /// `bytes` of all parts together, rounded up to whole doubles, equal on all ranks but for
  /// the irregular ones: there every second rank, or pair of ranks, has nothing.
  tuned_call(operation what, std::size_t bytes, MPI_Comm comm);

  void perform(const collective_calls& by);

  /// Tells whether both have the same result. Collective.
  [[nodiscard]] bool agree(const collective_calls& a, const collective_calls& b);

 private:
  operation what_;
  MPI_Comm comm_;
  int count_;  // of doubles: of the vector, or of a part
  std::vector<int> counts_, places_, bytes_before_;
  std::vector<MPI_Datatype> types_;
  std::vector<double> in_, out_;
};

}  // namespace pleat::preloaded
