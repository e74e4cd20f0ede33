// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pleat/oblivious/graph.hpp>

#include "measure/benchmark.hpp"
#include "measure/number_types.hpp"
#include "sort/distribution.hpp"

namespace pleat::bench {

// Serial textbook algorithms for connected components and list ranking.
namespace serial {

/// Labels components by union-find with path halving; the root of a tree is its least vertex.
/// Source: van Leeuwen, van der Weide, Alternative Path Compression Techniques, 1977.
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
  // A parent is at most its child, so its entry is already a root when the child is visited.
  for (std::size_t v = 0; v < parent.size(); ++v) parent[v] = parent[parent[v]];
}

/// Ranks the elements of each list, from its end back to its first element.
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

}  // namespace serial

namespace {

// Graphs and lists to be measured, with indices of type I, and their expected results.

inline constexpr std::array<std::string_view, 5> graph_shapes{"random", "power-law", "grid", "path",
                                                              "shuffled-path"};

inline constexpr std::array<std::string_view, 3> list_shapes{"shuffled", "sequential", "short"};

/// Number of vertices of a graph with about `edges` edges.
inline std::size_t vertices_of(std::string_view shape, std::size_t edges) {
  if (shape == "random") return edges / 4 + 2;
  if (shape == "power-law") return std::bit_floor(edges / 16 + 2);
  if (shape != "grid") return edges + 1;
  std::size_t side = 2;
  while (2 * side * (side + 1) <= edges) ++side;
  return side * side;
}

/// Returns 0, …, n − 1 in a random order.
template <class I> std::vector<I> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<I> order(n);
  std::iota(order.begin(), order.end(), I{0});
  for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[mixed(seed + i) % (i + 1)]);
  return order;
}

/// Fills the edges of a graph with `n` vertices. random: random ends, average degree 8; power-law:
/// R-MAT with the probabilities of Graph500; grid: row by row; path: in order; shuffled-path: edges
/// and vertices in random order. Surplus edges of a grid join vertex 0 to itself.
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

/// Finds the least vertex of each vertex's component, by breadth-first searches.
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

/// Fills lists and the expected ranks of their elements. shuffled: one list in random order;
/// sequential: one list in array order; short: lists of 1,000 elements in random order.
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

bool wanted(const benchmark_options& options, std::string_view shape) {
  return options.shape.empty() || options.shape == shape;
}

template <class I>
void measure_graph(testbed& on, const benchmark_options& options, const runner& run,
                   std::string_view shape) {
  using edge = std::array<I, 2>;
  const std::size_t m = options.n.value_or(10'000'000), n = vertices_of(shape, m);
  const big_block edge_memory(bytes_of({m, sizeof(edge)}), on.ours);
  const big_block label_memory(bytes_of({n, sizeof(I)}), on.ours);
  const std::span<edge> edges = edge_memory.as<edge>(m);
  const std::span<const edge> given = edges;
  const std::span<I> labels = label_memory.as<I>(n);
  fill_graph<I>(edges, n, shape, options.seed);
  const std::vector<I> expected = searched_components<I>(given, n);
  const compared_program program{.measure = "components, " + std::string(shape),
                                 .type = type_name<I>(),
                                 .n = m,
                                 .prepare = [&] { std::ranges::fill(labels, I{0}); },
                                 .right = [&] { return std::ranges::equal(labels, expected); },
                                 .arrays = {&edge_memory, &label_memory}};
  comparison compared =
      comparison_of(program, on, options, [&] { connected_components(on.ours, given, labels); });
  add_rival(compared, options, program, "serial",
            [&] { serial::join_components<I>(given, labels); });
  run(compared);
}

template <class I>
void measure_lists(testbed& on, const benchmark_options& options, const runner& run,
                   std::string_view shape) {
  const std::size_t n = options.n.value_or(std::size_t{1} << 24);
  const big_block next_memory(bytes_of({n, sizeof(I)}), on.ours);
  const big_block rank_memory(bytes_of({n, sizeof(I)}), on.ours);
  const std::span<I> next = next_memory.as<I>(n), ranks = rank_memory.as<I>(n);
  std::vector<I> expected;
  fill_lists<I>(next, expected, shape, options.seed);
  const compared_program program{.measure = "ranks, " + std::string(shape),
                                 .type = type_name<I>(),
                                 .n = n,
                                 .prepare = [&] { std::ranges::fill(ranks, I{0}); },
                                 .right = [&] { return std::ranges::equal(ranks, expected); },
                                 .arrays = {&next_memory, &rank_memory}};
  comparison compared =
      comparison_of(program, on, options, [&] { list_rank(on.ours, next, ranks); });
  add_rival(compared, options, program, "serial",
            [&] { serial::rank_lists<I>(std::span<const I>(next), ranks); });
  run(compared);
}

void measure_components(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<std::uint32_t, std::uint64_t>(options.type_or("u32"), [&]<class I>() {
    for (const std::string_view shape : graph_shapes)
      if (wanted(options, shape)) measure_graph<I>(on, options, run, shape);
  });
}

void measure_ranks(testbed& on, const benchmark_options& options, const runner& run) {
  with_type<std::uint32_t, std::uint64_t>(options.type_or("u32"), [&]<class I>() {
    for (const std::string_view shape : list_shapes)
      if (wanted(options, shape)) measure_lists<I>(on, options, run, shape);
  });
}

// Limit of edges or elements, for which 32-bit indices suffice.
constexpr std::size_t most_n = std::numeric_limits<std::uint32_t>::max() / 2;

constexpr std::array benchmarks{
    benchmark{"connected-components", "components of graphs of several shapes", "edges",
              measure_components, "serial", "u32, u64"}
        .with(&benchmark::shapes, "random, power-law, grid, path, shuffled-path")
        .with(&benchmark::most_n, most_n),
    benchmark{"list-rank", "ranks of the elements of linked lists of several shapes", "elements",
              measure_ranks, "serial", "u32, u64"}
        .with(&benchmark::shapes, "shuffled, sequential, short")
        .with(&benchmark::most_n, most_n),
};

}  // namespace

std::span<const benchmark> graph_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
