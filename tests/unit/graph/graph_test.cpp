// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/graph.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"

namespace graph_test {

class graphs : public machines {
 protected:
  pleat::machine m{{.processors = 2U}};
  static constexpr std::size_t vps[] = {1, 2, 3, 8};
};

/// Lists of random lengths, on average `each`, whose elements lie anywhere; their ranks.
template <class I> struct random_lists {
  std::vector<I> next, ranks;
  random_lists(std::size_t n, std::size_t each, unsigned seed) : next(n), ranks(n) {
    std::mt19937_64 random(seed);
    std::vector<I> order(n);
    std::iota(order.begin(), order.end(), I{0});
    std::ranges::shuffle(order, random);
    for (std::size_t k = n, rank = 0; k-- > 0; ++rank) {
      if (k == n - 1 || random() % each == 0) rank = 0;
      next[order[k]] = rank == 0 ? order[k] : order[k + 1];
      ranks[order[k]] = static_cast<I>(rank);
    }
  }
};

TEST_F(graphs, elements_of_any_lists_are_ranked_on_any_number_of_vps) {
  const auto expect_ranked = [&]<class I>(std::size_t n, std::size_t each, const auto& options) {
    const random_lists<I> lists(n, each, static_cast<unsigned>(n + each));
    std::vector<I> ranks(n, 77);
    pleat::list_rank(m, lists.next, ranks, options);
    ASSERT_EQ(ranks, lists.ranks) << n << " in lists of " << each;
  };
  for (const std::size_t n : {0, 1, 2, 3, 10, 1000, 20'000})
    for (const std::size_t each :
         {std::size_t{1}, std::size_t{2}, std::size_t{100}, std::size_t{1'000'000}})
      for (const std::size_t p : vps) {
        expect_ranked.operator()<std::uint32_t>(n, each, pleat::graph_options{p});
        expect_ranked.operator()<std::uint64_t>(n, each, pleat::graph_options{p});
      }
  expect_ranked.operator()<std::uint32_t>(300'000, 1'000'000, pleat::graph_options{});
}

TEST_F(graphs, what_is_no_list_is_refused) {
  using list = std::vector<std::uint32_t>;
  const auto refused = [&](const list& next) {
    for (const std::size_t p : vps) {
      list ranks(next.size());
      EXPECT_THROW(pleat::list_rank(m, next, ranks, {p}), pleat::usage_error);
    }
  };
  refused({1, 0});        // a circle
  refused({0, 2, 3, 1});  // beside a list
  refused({1, 1, 1});     // two before one
  refused({5, 1});        // nowhere
  list circle(10'000);    // with random heads in it
  for (std::size_t i = 0; i < circle.size(); ++i)
    circle[i] = static_cast<std::uint32_t>((i + 1) % circle.size());
  refused(circle);
  list two{1, 1}, one(1);
  EXPECT_THROW(pleat::list_rank(m, two, one), pleat::usage_error);
  EXPECT_THROW(pleat::list_rank(m, two, two), pleat::usage_error);
}

/// Labels by looking at all edges until nothing changes.
template <class I>
std::vector<I> least_vertices(std::size_t n, const std::vector<std::array<I, 2>>& edges) {
  std::vector<I> labels(n);
  std::iota(labels.begin(), labels.end(), I{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [a, b] : edges) {
      const I least = std::min(labels[a], labels[b]);
      changed = changed || labels[a] != least || labels[b] != least;
      labels[a] = labels[b] = least;
    }
  }
  return labels;
}

TEST_F(graphs, components_are_the_least_vertices_on_any_number_of_vps) {
  const auto expect_components = [&]<class I>(std::size_t n, std::size_t m_edges, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::array<I, 2>> edges(n == 0 ? 0 : m_edges);
    for (auto& one : edges)
      for (auto& v : one)
        v = static_cast<I>(random() % n * (random() % 2) + random() % n) % static_cast<I>(n);
    const auto expected = least_vertices(n, edges);
    for (const std::size_t p : vps) {
      std::vector<I> labels(n, 77);
      pleat::connected_components(m, edges, labels, {p});
      ASSERT_EQ(labels, expected) << n << " vertices, " << m_edges << " edges";
    }
  };
  for (const std::size_t n : {0, 1, 2, 10, 1000, 5000})
    for (const std::size_t edges : {0, 1, 700, 5000, 20'000}) {
      expect_components.operator()<std::uint32_t>(n, edges, static_cast<unsigned>(n + edges));
      expect_components.operator()<std::uint64_t>(n, edges, static_cast<unsigned>(n * edges));
    }
  // A path, from its end on: trees are as deep as they can be.
  std::vector<std::array<std::uint32_t, 2>> path;
  for (std::uint32_t v = 50'000; v > 0; --v) path.push_back({v, v - 1});
  std::vector<std::uint32_t> labels(50'001, 7);
  pleat::connected_components(m, path, labels);
  EXPECT_EQ(labels, std::vector<std::uint32_t>(50'001));
}

// A VP joins its own vertices first, and keeps some of the other edges for later, or all the rest.
TEST_F(graphs, components_of_edges_in_the_order_of_their_vertices) {
  using edge = std::array<std::uint32_t, 2>;
  for (const std::uint32_t side : {3u, 40u, 150u}) {
    const std::size_t n = side * side;
    std::vector<edge> edges;
    for (std::uint32_t v = 0; v < n; ++v) {
      if (v % 7 == 0) continue;
      if (v % side != side - 1) edges.push_back({v, v + 1});
      if (v + side < n) edges.push_back({v + side, v});
    }
    const auto expected = least_vertices(n, edges);
    for (const std::size_t p : vps) {
      std::vector<std::uint32_t> labels(n);
      pleat::connected_components(m, edges, labels, {p});
      ASSERT_EQ(labels, expected) << side << ", " << p << " VPs";
    }
    for (const std::size_t wrong : {std::size_t{0}, edges.size() / 2, edges.size() - 1})
      for (const std::size_t p : vps) {
        auto others = edges;
        others[wrong] = {0, ~0u};
        std::vector<std::uint32_t> labels(n);
        EXPECT_THROW(pleat::connected_components(m, others, labels, {p}), pleat::usage_error);
      }
  }
}

TEST_F(graphs, vertices_that_are_not_there_are_refused) {
  const std::vector<std::array<std::uint32_t, 2>> edges{{0, 1}, {1, 5}};
  std::vector<std::uint32_t> labels(5);
  EXPECT_THROW(pleat::connected_components(m, edges, labels), pleat::usage_error);
  EXPECT_THROW(pleat::connected_components(m, edges, labels, {0}), pleat::usage_error);
}

}  // namespace graph_test
