// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sort/distribution.hpp"

// Kinds of best paths, for the oracle and the OpenMP rival, independent of the library.
namespace pleat::bench {

struct shortest_paths {
  template <class T>
  static constexpr T none = std::numeric_limits<T>::has_infinity
                                ? std::numeric_limits<T>::infinity()
                                : std::numeric_limits<T>::max() / 2;
  template <class T> static constexpr T here = 0;
  template <class T> static constexpr T chained(T a, T b) { return static_cast<T>(a + b); }
  template <class T> static constexpr bool better(T a, T b) { return a < b; }
};
struct widest_paths {
  template <class T>
  static constexpr T none = std::numeric_limits<T>::has_infinity
                                ? -std::numeric_limits<T>::infinity()
                                : std::numeric_limits<T>::lowest();
  template <class T>
  static constexpr T here = std::numeric_limits<T>::has_infinity
                                ? std::numeric_limits<T>::infinity()
                                : std::numeric_limits<T>::max();
  template <class T> static constexpr T chained(T a, T b) { return std::min(a, b); }
  template <class T> static constexpr bool better(T a, T b) { return a > b; }
};
struct any_paths {
  template <class T> static constexpr T none = 0;
  template <class T> static constexpr T here = 1;
  template <class T> static constexpr T chained(T a, T b) { return static_cast<T>(a & b); }
  template <class T> static constexpr bool better(T a, T b) { return a > b; }
};

/// Fills a matrix of edges: about two from each vertex, with lengths of 1 to 1,000 (1 if the type
/// has one byte), so that sums are exact in every type.
template <class Kind, class T>
void fill_edges(std::span<T> edges, std::size_t n, std::uint64_t seed) {
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v) {
      const std::uint64_t random = mixed(seed * n * n + u * n + v);
      T& edge = edges[u * n + v];
      edge = Kind::template none<T>;
      if (u == v)
        edge = Kind::template here<T>;
      else if (random % n < 2)
        edge = static_cast<T>(sizeof(T) == 1 ? 1 : 1 + (random >> 32) % 1000);
    }
}

/// Best paths from one vertex, by Dijkstra's algorithm.
template <class Kind, class T>
std::vector<T> best_paths(std::span<const T> edges, std::size_t n, std::size_t from) {
  std::vector<T> best(n, Kind::template none<T>);
  std::vector<bool> settled(n);
  best[from] = Kind::template here<T>;
  for (;;) {
    std::size_t next = n;
    for (std::size_t v = 0; v < n; ++v)
      if (!settled[v] && Kind::better(best[v], Kind::template none<T>) &&
          (next == n || Kind::better(best[v], best[next])))
        next = v;
    if (next == n) return best;
    settled[next] = true;
    for (std::size_t v = 0; v < n; ++v) {
      const T over = Kind::chained(best[next], edges[next * n + v]);
      if (Kind::better(over, best[v])) best[v] = over;
    }
  }
}

/// Tells whether `paths` holds the best paths, in a sample of at most 32 rows.
template <class Kind, class T>
bool paths_right(std::span<const T> edges, std::size_t n, std::span<const T> paths) {
  for (std::size_t u = 0; u < n; u += 1 + n / 32)
    if (!std::ranges::equal(best_paths<Kind>(edges, n, u), paths.subspan(u * n, n))) return false;
  return true;
}

}  // namespace pleat::bench
