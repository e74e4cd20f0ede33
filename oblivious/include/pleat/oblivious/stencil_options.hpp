// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include <pleat/oblivious/grid_view.hpp>

namespace pleat {

/// Options of `stencil`.
struct stencil_options {
  /// One boundary for all dimensions, or one for each: {boundary::fixed, boundary::periodic}.
  boundaries edges = boundary::fixed;
  /// Number of steps between calls of `after(steps so far)`. The calls are made on the caller's
  /// thread, while no VP computes; `after` sees the current grid and may change it. An exception of
  /// `after` reaches the caller, and the grid does not change further. `after` may not run anything
  /// on the machine.
  std::size_t every = 0;
  std::function<void(std::size_t)> after = {};
  /// Number of virtual processors, any number. Unset: one for each processor, fewer for little
  /// work. If it is the number of cells, of a cube whose side is a power of two and that is not
  /// periodic, the recursion of the paper runs with one cell a VP: slow, meant for counting its
  /// costs.
  std::optional<std::size_t> vps = std::nullopt;
};

}  // namespace pleat
