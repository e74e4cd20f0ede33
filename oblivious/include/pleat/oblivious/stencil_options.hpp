// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include <pleat/oblivious/grid_view.hpp>

namespace pleat {

/// Options of `stencil`.
struct stencil_options {
  /// One for all dimensions, or one for each: {boundary::fixed, boundary::periodic}.
  boundaries edges = boundary::fixed;
  /// Number of steps after which, again and again, `after(steps so far)` is called on the caller's
  /// thread, while no VP computes: it finds the grid as it is then, and may change it. What it
  /// throws reaches the caller, and the grid stays as it was. It may not run anything on the
  /// machine.
  std::size_t every = 0;
  std::function<void(std::size_t)> after = {};
  /// Number of virtual processors, any; unset: one a processor, fewer for little work. With as many
  /// as cells, of a cube whose side is a power of two and that is not periodic, the steps are those
  /// of the paper's recursion, one cell a VP: slow, to be counted.
  std::optional<std::size_t> vps = std::nullopt;
};

}  // namespace pleat
