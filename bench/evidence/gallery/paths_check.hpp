// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace pleat::bench {

/// Lengths of shortest paths from one place by Dijkstra's algorithm, in double precision.
/// streets[u · n + v]: infinite where there is none.
inline std::vector<double> dijkstra(const std::vector<float>& streets, std::size_t n,
                                    std::size_t from) {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::vector<double> length(n, far);
  std::vector<bool> settled(n);
  length[from] = 0;
  for (;;) {
    std::size_t next = n;
    for (std::size_t v = 0; v < n; ++v)
      if (!settled[v] && length[v] < far && (next == n || length[v] < length[next])) next = v;
    if (next == n) return length;
    settled[next] = true;
    for (std::size_t v = 0; v < n; ++v)
      if (length[next] + streets[next * n + v] < length[v])
        length[v] = length[next] + streets[next * n + v];
  }
}

/// Tells whether these are the lengths from every `every`-th place.
inline bool lengths_right(const std::vector<float>& streets, std::size_t n,
                          const std::vector<float>& lengths, std::size_t every = 1) {
  if (lengths.size() != n * n) return false;
  for (std::size_t u = 0; u < n; u += every) {
    const std::vector<double> wanted = dijkstra(streets, n, u);
    for (std::size_t v = 0; v < n; ++v) {
      const double found = lengths[u * n + v];
      if (found != wanted[v] && !(std::abs(found - wanted[v]) <= 1e-5 * wanted[v])) return false;
    }
  }
  return true;
}

/// Tells whether these places, from u to v, follow each other along streets of that length in all.
/// None where it is infinite.
inline bool path_right(const std::vector<float>& streets, std::size_t n,
                       const std::vector<std::size_t>& path, std::size_t u, std::size_t v,
                       double length) {
  if (path.empty()) return std::isinf(length);
  if (path.front() != u || path.back() != v) return false;
  double sum = 0;
  for (std::size_t i = 1; i < path.size(); ++i) sum += streets[path[i - 1] * n + path[i]];
  return std::abs(sum - length) <= 1e-5 * length;
}

}  // namespace pleat::bench
