// SPDX-License-Identifier: Apache-2.0
#include "data/side.hpp"

#include <algorithm>

#include "communicator/communicator.hpp"
#include "errors/errors.hpp"

namespace pleat::preloaded {

bool side::is_valid() const {
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

std::size_t side::bytes() const {
  MPI_Count size = 0;
  check(PMPI_Type_size_x(type, &size));
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

bool irregular_side::is_valid() const {
  const auto is_valid_part = [&](std::size_t count, MPI_Datatype type) {
    return side{buffer, static_cast<MPI_Count>(count), type}.is_valid();
  };
  if (buffer == MPI_IN_PLACE) return false;
  if (types.size() == 1) return is_valid_part(std::ranges::max(counts), types.front());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] != 0 && !is_valid_part(counts[r], types[r])) return false;
  }
  return true;
}

}  // namespace pleat::preloaded
