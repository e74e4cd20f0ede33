// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <pleat/runtime/error.hpp>

namespace pleat::detail {

/// Throws: pleat::usage_error unless there is a length for each of `processors`, none for the root.
inline void require_lengths(std::size_t processors, std::span<const std::size_t> lengths) {
  if (lengths.size() != processors) {
    throw usage_error("the lengths of " + std::to_string(lengths.size()) + " messages for " +
                      std::to_string(processors) + " processors: give one for each");
  }
  if (lengths.empty() || lengths[0] != 0) {
    throw usage_error("the root's own message does not travel: give length 0 for processor 0");
  }
}

}  // namespace pleat::detail
