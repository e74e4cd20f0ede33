// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace pleat::preloaded {

struct range {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The b-th of `blocks` neighbouring ranges of `units`; their lengths differ by at most one unit.
/// Requires: b < blocks.
[[nodiscard]] constexpr range split(std::size_t units, std::size_t blocks, std::size_t b) noexcept {
  const std::size_t each = units / blocks;
  const std::size_t longer = units % blocks;
  return {b * each + std::min(b, longer), each + (b < longer ? 1 : 0)};
}

}  // namespace pleat::preloaded
