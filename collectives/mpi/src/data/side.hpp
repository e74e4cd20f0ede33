// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mpi.h>
#include <vector>

namespace pleat::preloaded {

/// One side of a call: a buffer, the number of elements, their type.
struct side {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;

  [[nodiscard]] bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }

  /// Tells whether the arguments are valid; if not, the MPI reports what is wrong with them. Wrong
  /// is also null as the address of data. (MPI_BOTTOM is null: types may have addresses.)
  [[nodiscard]] bool is_valid() const;

  /// Bytes of data. Requires: valid, not in place. Throws: mpi_failure.
  [[nodiscard]] std::size_t bytes() const;
};

/// One side of an irregular call: counts and places, one for each rank. Types are one for all,
/// and places are elements; or one for each rank, and places are bytes.
struct irregular_side {
  const void* buffer;
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> places;
  std::vector<MPI_Datatype> types;

  /// Tells whether the arguments are valid; those of parts without elements may be anything.
  [[nodiscard]] bool is_valid() const;
};

}  // namespace pleat::preloaded
