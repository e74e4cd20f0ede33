// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>

#include "communicator.hpp"
#include "failure.hpp"

namespace pleat::preloaded {

/// One side of a call: a buffer, the number of elements, their type.
struct side {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }

  /// Tells whether the arguments are valid; if not, the MPI reports what is wrong with them. Wrong
  /// is also null as the address of data. (MPI_BOTTOM is null: types may have addresses.)
  [[nodiscard]] bool is_valid() const {
    if (in_place()) return true;
    if (count < 0 || type == MPI_DATATYPE_NULL || !communicator::may_send(type)) return false;
    if (buffer != nullptr || count == 0) return true;
    MPI_Count size = 0;
    MPI_Count first = 0;
    MPI_Count extent = 0;
    return PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           PMPI_Type_get_true_extent_x(type, &first, &extent) == MPI_SUCCESS &&
           (size == 0 || first != 0);
  }

  /// Bytes of data. Requires: valid, not in place. Throws: mpi_failure.
  [[nodiscard]] std::size_t bytes() const {
    MPI_Count size = 0;
    check(PMPI_Type_size_x(type, &size));
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
  }
};

}  // namespace pleat::preloaded
