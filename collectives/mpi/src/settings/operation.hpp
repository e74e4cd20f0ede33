// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

/// Table of the operations: EACH(our name, the MPI's).
#define PLEAT_OPERATIONS(EACH)                     \
  EACH(bcast, Bcast)                               \
  EACH(allgather, Allgather)                       \
  EACH(allgatherv, Allgatherv)                     \
  EACH(reduce, Reduce)                             \
  EACH(allreduce, Allreduce)                       \
  EACH(reduce_scatter, Reduce_scatter)             \
  EACH(reduce_scatter_block, Reduce_scatter_block) \
  EACH(scan, Scan)                                 \
  EACH(exscan, Exscan)                             \
  EACH(alltoall, Alltoall)                         \
  EACH(alltoallv, Alltoallv)                       \
  EACH(alltoallw, Alltoallw)                       \
  EACH(gather, Gather)                             \
  EACH(gatherv, Gatherv)                           \
  EACH(scatter, Scatter)                           \
  EACH(scatterv, Scatterv)

namespace pleat::preloaded {

/// Collective operations that this library carries out.
enum class operation {
#define PLEAT_OPERATION(name, call) name,
  PLEAT_OPERATIONS(PLEAT_OPERATION)
#undef PLEAT_OPERATION
};

inline constexpr auto operation_names = std::to_array<std::string_view>({
#define PLEAT_OPERATION(name, call) #name,
    PLEAT_OPERATIONS(PLEAT_OPERATION)
#undef PLEAT_OPERATION
});
inline constexpr std::size_t operations = operation_names.size();

[[nodiscard]] constexpr std::size_t index(operation what) noexcept {
  return static_cast<std::size_t>(what);
}
[[nodiscard]] constexpr bool combines(operation what) noexcept {
  return what >= operation::reduce && what <= operation::exscan;
}
[[nodiscard]] constexpr bool exchanges(operation what) noexcept {
  return what >= operation::alltoall && what <= operation::alltoallw;
}
/// Tells whether only one rank, the root, knows the size of a call.
[[nodiscard]] constexpr bool sized_by_root(operation what) noexcept {
  return what == operation::gatherv || what == operation::scatterv;
}
/// Tells whether the schedule divides messages into blocks.
[[nodiscard]] constexpr bool in_blocks(operation what) noexcept {
  return what <= operation::reduce_scatter_block;
}

}  // namespace pleat::preloaded
