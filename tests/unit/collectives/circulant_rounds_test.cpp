// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>

namespace circulant_rounds_test {

using pleat::circulant_graph;
using pleat::circulant_rounds;
using pleat::circulant_schedule;
using pleat::circulant_step;

// Carries out a broadcast on blocks that are there or not.
void expect_broadcast(std::uint32_t p, std::size_t n, std::uint32_t root) {
  const circulant_graph graph(p);
  const circulant_rounds rounds(graph, n);
  ASSERT_EQ(rounds.size(), p == 1 ? 0 : n - 1 + graph.rounds());
  std::vector<circulant_schedule> own;
  for (std::uint32_t r = 0; r < p; ++r) own.push_back(graph.schedule((r + p - root) % p));
  std::vector<std::vector<int>> copies(p, std::vector<int>(n, 0));
  copies[root].assign(n, 1);

  for (std::size_t i = 0; i < rounds.size(); ++i) {
    std::vector<circulant_step> steps;
    for (std::uint32_t r = 0; r < p; ++r) steps.push_back(rounds.step(graph, own[r], r, root, i));
    for (std::uint32_t r = 0; r < p; ++r) {
      const circulant_step& step = steps[r];
      ASSERT_EQ(step.sent, steps[step.to].received) << "p " << p << " n " << n << " rank " << r;
      if (step.sent != circulant_step::none) {
        ASSERT_LT(step.sent, n);
        ASSERT_EQ(copies[r][step.sent], 1) << "rank " << r << " has no block " << step.sent;
      }
    }
    for (std::uint32_t r = 0; r < p; ++r) {
      if (steps[r].received != circulant_step::none) ++copies[r][steps[r].received];
    }
  }
  for (std::uint32_t r = 0; r < p; ++r) {
    ASSERT_EQ(copies[r], std::vector<int>(n, 1)) << "p " << p << " n " << n << " rank " << r;
  }
}

TEST(circulant_rounds, bring_every_block_once_to_every_rank) {
  for (std::uint32_t p = 1; p <= 69; ++p) {
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 33u}) expect_broadcast(p, n, 0);
  }
}

TEST(circulant_rounds, work_from_any_root) {
  for (std::uint32_t root = 0; root < 13; ++root) expect_broadcast(13, 6, root);
}

TEST(circulant_rounds, of_no_blocks_are_none) {
  EXPECT_EQ(circulant_rounds(circulant_graph(5), 0).size(), 0u);
}

}  // namespace circulant_rounds_test
