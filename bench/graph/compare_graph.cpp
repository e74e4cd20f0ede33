// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/oblivious/graph.hpp>

#include "graph_data.hpp"
#include "measure/compared_program.hpp"
#include "measure/number_types.hpp"
#include "rivals/serial_graph.hpp"

namespace pleat::bench {
namespace {

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
                                 .type = std::string(type_name<I>()),
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
                                 .type = std::string(type_name<I>()),
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

// Vertices and elements of 32 bits.
constexpr std::size_t most_n = std::numeric_limits<std::uint32_t>::max() / 2;

constexpr std::array benchmarks{
    benchmark{.name = "connected-components",
              .group = "connected-components",
              .summary = "components of graphs of several shapes",
              .n_means = "edges",
              .measure = measure_components,
              .rivals = "serial",
              .types = "u32, u64",
              .shapes = "random, power-law, grid, path, shuffled-path",
              .most_n = most_n},
    benchmark{.name = "list-rank",
              .group = "list-rank",
              .summary = "ranks of the elements of linked lists of several shapes",
              .n_means = "elements",
              .measure = measure_ranks,
              .rivals = "serial",
              .types = "u32, u64",
              .shapes = "shuffled, sequential, short",
              .most_n = most_n},
};

}  // namespace

std::span<const benchmark> graph_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
