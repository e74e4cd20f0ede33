// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "sort/distribution.hpp"

// Graphs and lists to be measured, of numbers I, and their results by the plainest means.
namespace pleat::bench {

inline constexpr std::array<std::string_view, 5> graph_shapes{"random", "power-law", "grid", "path",
                                                              "shuffled-path"};
inline constexpr std::array<std::string_view, 3> list_shapes{"shuffled", "sequential", "short"};

/// Number of vertices of a graph with about so many edges.
inline std::size_t vertices_of(std::string_view shape, std::size_t edges) {
  if (shape == "random") return edges / 4 + 2;
  if (shape == "power-law") return std::bit_floor(edges / 16 + 2);
  if (shape != "grid") return edges + 1;
  std::size_t side = 2;
  while (2 * side * (side + 1) <= edges) ++side;
  return side * side;
}

/// 0, …, n − 1 in a random order.
template <class I> std::vector<I> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<I> order(n);
  std::iota(order.begin(), order.end(), I{0});
  for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[mixed(seed + i) % (i + 1)]);
  return order;
}

/// Fills the edges of a graph with `n` vertices. random: ends anywhere, on average eight edges a
/// vertex; power-law: as Graph500 has them; grid: row by row; path: one edge after the other, or
/// edges and vertices in any order. Edges that are too many are from vertex 0 to itself.
template <class I>
void fill_graph(std::span<std::array<I, 2>> edges, std::size_t n, std::string_view shape,
                std::uint64_t seed) {
  const auto vertex = [](std::size_t v) { return static_cast<I>(v); };
  if (shape == "random") {
    for (std::size_t i = 0; i < edges.size(); ++i)
      edges[i] = {vertex(mixed(seed + 2 * i) % n), vertex(mixed(seed + 2 * i + 1) % n)};
  } else if (shape == "power-law") {
    // Source: Chakrabarti, Zhan, Faloutsos, R-MAT: A Recursive Model for Graph Mining, 2004.
    const std::vector<I> name = shuffled<I>(n, seed);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      std::size_t from = 0, to = 0;
      for (std::size_t bit = n / 2; bit != 0; bit /= 2) {
        const std::uint64_t part = mixed(mixed(seed + i) + bit) % 100;
        if (part >= 76) from += bit;  // 57, 19, 19 and 5 per cent
        if ((part >= 57 && part < 76) || part >= 95) to += bit;
      }
      edges[i] = {name[from], name[to]};
    }
  } else if (shape == "grid") {
    std::size_t side = 1;
    while ((side + 1) * (side + 1) <= n) ++side;
    std::size_t next = 0;
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j) {
        if (j + 1 < side && next < edges.size())
          edges[next++] = {vertex(i * side + j), vertex(i * side + j + 1)};
        if (i + 1 < side && next < edges.size())
          edges[next++] = {vertex(i * side + j), vertex((i + 1) * side + j)};
      }
    std::fill(edges.begin() + static_cast<std::ptrdiff_t>(next), edges.end(),
              std::array<I, 2>{0, 0});
  } else if (shape == "path") {
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = {vertex(i), vertex(i + 1)};
  } else {
    const std::vector<I> name = shuffled<I>(n, seed), order = shuffled<I>(edges.size(), ~seed);
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = {name[order[i]], name[order[i] + 1]};
  }
}

/// The least vertex of the component of each, by breadth-first searches.
template <class I>
std::vector<I> searched_components(std::span<const std::array<I, 2>> edges, std::size_t n) {
  std::vector<std::size_t> begins(n + 2);
  for (const auto& [a, b] : edges) ++begins[a + 2], ++begins[b + 2];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<I> neighbours(2 * edges.size());
  for (const auto& [a, b] : edges) {
    neighbours[begins[a + 1]++] = b;
    neighbours[begins[b + 1]++] = a;
  }
  const auto unknown = static_cast<I>(n);
  std::vector<I> labels(n, unknown), found;
  for (std::size_t v = 0; v < n; ++v) {
    if (labels[v] != unknown) continue;
    labels[v] = static_cast<I>(v);
    found.assign(1, static_cast<I>(v));
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t k = begins[found[i]]; k < begins[found[i] + 1]; ++k)
        if (I& label = labels[neighbours[k]]; label == unknown) {
          label = static_cast<I>(v);
          found.push_back(neighbours[k]);
        }
  }
  return labels;
}

/// Fills lists and the ranks that their elements must get: one in a random order, one from the
/// first element to the last, or random ones of 1,000.
template <class I>
void fill_lists(std::span<I> next, std::vector<I>& ranks, std::string_view shape,
                std::uint64_t seed) {
  const std::size_t n = next.size(), length = shape == "short" ? 1000 : n;
  std::vector<I> order(n);
  std::iota(order.begin(), order.end(), I{0});
  if (shape != "sequential") order = shuffled<I>(n, seed);
  ranks.resize(n);
  for (std::size_t first = 0; first < n; first += length) {
    const std::size_t last = std::min(n, first + length);
    for (std::size_t i = first; i < last; ++i) {
      next[order[i]] = order[std::min(i + 1, last - 1)];
      ranks[order[i]] = static_cast<I>(last - 1 - i);
    }
  }
}

}  // namespace pleat::bench
