// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths between all places of a network. Their lengths are the closure of the
// matrix of streets over (min, +). One more product says through where each path reaches its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <pleat/oblivious/closure.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/semiring.hpp>

namespace gallery {

inline constexpr float no_path = std::numeric_limits<float>::infinity();

using matrix = pleat::strided_view<float>;

/// The lengths of all shortest paths, and for each pair the place before the last of its path.
struct shortest_paths {
  std::size_t n = 0;
  std::vector<float> length;
  std::vector<std::int32_t> before;

  /// Empty if there is no path from u to v.
  [[nodiscard]] std::vector<std::size_t> path(std::size_t u, std::size_t v) const {
    std::vector<std::size_t> places;
    if (length[u * n + v] == no_path) return places;
    for (places.push_back(v); v != u; places.push_back(v))
      v = static_cast<std::size_t>(before[u * n + v]);
    std::reverse(places.begin(), places.end());
    return places;
  }
};

/// Finds the shortest paths of a network of n places: streets[u · n + v] is the length of the
/// street from u to v, more than 0, or no_path.
inline shortest_paths find_paths(pleat::machine& on, std::vector<float> streets, std::size_t n) {
  shortest_paths found{n, streets, std::vector<std::int32_t>(n * n)};
  const matrix lengths(found.length.data(), n, n, n), direct(streets.data(), n, n, n);
  for (std::size_t u = 0; u < n; ++u) {
    lengths(u, u) = 0;
    direct(u, u) = no_path;
  }
  pleat::closure<pleat::min_plus>(on, lengths);
  std::vector<float> last(n * n);
  pleat::matmul_argmin(on, lengths, direct, matrix(last.data(), n, n, n),
                       pleat::strided_view<std::int32_t>(found.before.data(), n, n, n));
  return found;
}

}  // namespace gallery
