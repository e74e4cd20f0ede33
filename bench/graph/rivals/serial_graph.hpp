// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

// Graphs and lists by one thread, as a textbook has them.
namespace pleat::bench::serial {

/// Trees of components whose roots are their least vertices, and paths that are halved. Source: van
/// Leeuwen, van der Weide, Alternative Path Compression Techniques, 1977.
template <class I>
void join_components(std::span<const std::array<I, 2>> edges, std::span<I> parent) {
  std::iota(parent.begin(), parent.end(), I{0});
  const auto root_of = [parent](I v) {
    while (parent[v] != v) {
      parent[v] = parent[parent[v]];
      v = parent[v];
    }
    return v;
  };
  for (const auto& [from, to] : edges) {
    I a = root_of(from), b = root_of(to);
    if (a < b) std::swap(a, b);
    parent[a] = b;
  }
  // Parents are less than their children, so they are roots when it is their children's turn.
  for (std::size_t v = 0; v < parent.size(); ++v) parent[v] = parent[parent[v]];
}

/// From the end of each list back to its first element.
template <class I> void rank_lists(std::span<const I> next, std::span<I> ranks) {
  std::vector<I> before(next.size());
  std::iota(before.begin(), before.end(), I{0});
  for (std::size_t i = 0; i < next.size(); ++i)
    if (next[i] != i) before[next[i]] = static_cast<I>(i);
  for (std::size_t end = 0; end < next.size(); ++end) {
    if (next[end] != end) continue;
    I rank = 0;
    for (I i = static_cast<I>(end);; i = before[i]) {
      ranks[i] = rank++;
      if (before[i] == i) break;
    }
  }
}

}  // namespace pleat::bench::serial
