// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <pleat/oblivious/stencil_options.hpp>

namespace pleat::python {

/// One for all dimensions, or one for each.
using edges_asked = std::vector<boundary>;

inline stencil_options how_to_step(const edges_asked& edges, std::optional<std::size_t> vps) {
  stencil_options options;
  if (edges.size() == 1) options.edges = edges[0];
  if (edges.size() == 2) options.edges = {edges[0], edges[1]};
  if (edges.size() == 3) options.edges = {edges[0], edges[1], edges[2]};
  options.vps = vps;
  return options;
}

}  // namespace pleat::python
