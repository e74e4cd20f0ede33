// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace pleat::preloaded {

/// Collective operations that this library carries out; they are also the tags of their messages.
enum class operation {
  bcast,
  allgather,
  allgatherv,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
};

inline constexpr std::array<std::string_view, 7> operation_names{
    "bcast",     "allgather",      "allgatherv",          "reduce",
    "allreduce", "reduce_scatter", "reduce_scatter_block"};
inline constexpr std::size_t operations = operation_names.size();

[[nodiscard]] constexpr std::size_t index(operation what) noexcept {
  return static_cast<std::size_t>(what);
}
[[nodiscard]] constexpr bool combines(operation what) noexcept { return what >= operation::reduce; }

}  // namespace pleat::preloaded
