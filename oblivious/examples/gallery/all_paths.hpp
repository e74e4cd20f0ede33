// SPDX-License-Identifier: Apache-2.0
//
// All shortest paths of a network, and the paths themselves. The lengths are found by halves: the
// network is split in two, and what leads from one half to the other are products of matrices over
// (min, +), in all as many operations as Floyd's algorithm has. One more product says through where
// each path reaches its end. Source: D'Alberto, Nicolau, R-Kleene, 2007.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <pleat/oblivious/matmul.hpp>

namespace gallery {

inline constexpr float no_path = std::numeric_limits<float>::infinity();

using matrix = pleat::strided_view<float>;

/// The part of a matrix from (row, column) on.
inline matrix part(matrix m, std::size_t row, std::size_t column, std::size_t rows,
                   std::size_t columns) {
  return {m.data + row * m.stride + column, rows, columns, m.stride};
}

/// to becomes min(to, a·b), where `to` may be one of the factors.
inline void improve(pleat::machine& on, matrix to, matrix a, matrix b) {
  std::vector<float> copy;
  const auto apart = [&](matrix m) {
    if (m.data != to.data) return m;
    for (std::size_t i = 0; i < m.rows; ++i)
      copy.insert(copy.end(), m.row(i).begin(), m.row(i).end());
    return matrix(copy.data(), m.rows, m.columns, m.columns);
  };
  const matrix left = apart(a), right = apart(b);
  pleat::matmul<pleat::min_plus>(on, left, right, to, {.accumulate = true});
}

/// Turns lengths of single streets, 0 from a place to itself, into those of shortest paths.
inline void find_lengths(pleat::machine& on, matrix d) {
  const std::size_t n = d.rows, half = n / 2, rest = n - half;
  if (n <= 64) {  // Floyd's algorithm
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
    return;
  }
  const matrix first = part(d, 0, 0, half, half), out = part(d, 0, half, half, rest);
  const matrix back = part(d, half, 0, rest, half), second = part(d, half, half, rest, rest);
  find_lengths(on, first);
  improve(on, out, first, out);
  improve(on, back, back, first);
  improve(on, second, back, out);
  find_lengths(on, second);
  improve(on, out, out, second);
  improve(on, back, second, back);
  improve(on, first, out, back);
}

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
  find_lengths(on, lengths);
  std::vector<float> last(n * n);
  pleat::matmul_argmin(on, lengths, direct, matrix(last.data(), n, n, n),
                       pleat::strided_view<std::int32_t>(found.before.data(), n, n, n));
  return found;
}

}  // namespace gallery
