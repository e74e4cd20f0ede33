// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/error.hpp>

#include "collectives/rivals/circulant_transcription.hpp"

namespace circulant_test {

using pleat::circulant_graph, pleat::circulant_schedule, pleat::circulant_table;
using pleat::bench::circulant_transcription;

// The long form: all p up to 5,000, every rank near 2^16 and 2^20, millions of large graphs.
bool exhaustive() { return std::getenv("PLEAT_TEST_EXHAUSTIVE") != nullptr; }

circulant_schedule transcribed(const circulant_transcription& paper, std::uint32_t rank) {
  circulant_schedule result;
  result.baseblock = static_cast<std::int8_t>(paper.receive(rank, result.recv));
  paper.send(rank, result.send);
  return result;
}

// Conditions 3 and 4 of one rank, by itself.
::testing::AssertionResult own_conditions(const circulant_graph& graph, std::uint32_t rank,
                                          const circulant_schedule& own) {
  const int q = static_cast<int>(graph.rounds());
  std::set<int> wanted;
  for (int block = -q; block < 0; ++block) wanted.insert(block);
  wanted.erase(own.baseblock - q);
  if (rank != 0) wanted.insert(own.baseblock);
  const std::set<int> received(own.recv.begin(), own.recv.begin() + q);
  if (received != wanted) {
    return ::testing::AssertionFailure()
           << "condition 3: p = " << graph.processors() << ", rank " << rank;
  }
  for (int k = 0; k < q; ++k) {
    const int sent = own.send[static_cast<std::size_t>(k)];
    const auto end = own.recv.begin() + k;
    const bool held =
        rank == 0 ? sent == k
                  : sent == own.baseblock - q || std::find(own.recv.begin(), end, sent) != end;
    if (!held) {
      return ::testing::AssertionFailure()
             << "condition 4: p = " << graph.processors() << ", rank " << rank << ", round " << k;
    }
  }
  return ::testing::AssertionSuccess();
}

void expect_conditions_for_all_ranks(std::uint32_t p) {
  const circulant_graph graph(p);
  std::vector<circulant_schedule> all(p);
  for (std::uint32_t r = 0; r < p; ++r) {
    all[r] = graph.schedule(r);
    ASSERT_TRUE(own_conditions(graph, r, all[r]));
  }
  for (std::uint32_t r = 0; r < p; ++r) {
    for (unsigned k = 0; k < graph.rounds(); ++k) {
      ASSERT_EQ(all[r].recv[k], all[graph.from(r, k)].send[k])
          << "condition 1: p = " << p << ", rank " << r << ", round " << k;
      ASSERT_EQ(all[r].send[k], all[graph.to(r, k)].recv[k])
          << "condition 2: p = " << p << ", rank " << r << ", round " << k;
    }
  }
}

TEST(circulant_graph, halves_its_skips_upwards) {
  for (const std::uint64_t p : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{9},
                                std::uint64_t{1000}, std::uint64_t{1} << 31}) {
    const circulant_graph graph(p);
    const auto skips = graph.skips();
    ASSERT_EQ(skips.size(), graph.rounds() + 1u);
    EXPECT_EQ(skips.front(), 1u);
    EXPECT_EQ(skips.back(), p);
    for (unsigned k = 0; k < graph.rounds(); ++k) {
      EXPECT_EQ(skips[k], skips[k + 1] / 2 + skips[k + 1] % 2);
    }
  }
}

TEST(circulant_graph, of_one_processor_has_no_rounds) {
  const circulant_graph graph(1);
  EXPECT_EQ(graph.rounds(), 0u);
  EXPECT_EQ(graph.schedule(0), circulant_schedule{});
  EXPECT_EQ(circulant_table(graph).baseblocks().size(), 1u);
}

TEST(circulant_graph, refuses_what_it_cannot_have) {
  EXPECT_THROW(circulant_graph(0), pleat::usage_error);
  EXPECT_THROW(circulant_graph((std::uint64_t{1} << 31) + 1), pleat::usage_error);
}

TEST(circulant_graph, neighbours_are_each_others) {
  for (const std::uint64_t p : {std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{1} << 31}) {
    const circulant_graph graph(p);
    for (const std::uint64_t r : {std::uint64_t{0}, p / 2, p - 1}) {
      const auto rank = static_cast<std::uint32_t>(r);
      for (unsigned k = 0; k < graph.rounds(); ++k) {
        EXPECT_EQ(graph.to(rank, k), (r + graph.skips()[k]) % p);
        EXPECT_EQ(graph.from(graph.to(rank, k), k), rank);
      }
    }
  }
}

TEST(circulant_schedule, fulfils_the_four_conditions_for_every_rank) {
  const std::uint32_t last = exhaustive() ? 5000 : 700;
  for (std::uint32_t p = 2; p <= last; ++p) expect_conditions_for_all_ranks(p);
}

TEST(circulant_schedule, fulfils_the_four_conditions_around_powers_of_two) {
  struct neighbourhood {
    std::uint32_t centre, reach;
  };
  std::vector<neighbourhood> around{{1u << 16, 0}};
  if (exhaustive()) around = {{1u << 16, 20}, {1u << 20, 1}};
  for (const auto [centre, reach] : around) {
    for (std::uint32_t p = centre - reach; p <= centre + 1 + reach; ++p) {
      expect_conditions_for_all_ranks(p);
    }
  }
}

// Any size up to 2^31, of any number of bits alike; or one of a few above a power of two.
std::uint64_t large_size(std::mt19937_64& random, bool any) {
  const std::uint64_t base = std::uint64_t{1} << random() % 31;
  return base + 1 + random() % (any ? base : std::min<std::uint64_t>(base, 400));
}

// The conditions that join ranks, at ranks of large graphs.
TEST(circulant_schedule, fulfils_the_four_conditions_at_ranks_of_large_graphs) {
  std::mt19937_64 random(20);
  const int samples = exhaustive() ? 2000000 : 20000;
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t p = large_size(random, i % 2 == 0);
    const circulant_graph graph(p);
    const auto rank = static_cast<std::uint32_t>(random() % p);
    const circulant_schedule own = graph.schedule(rank);
    ASSERT_TRUE(own_conditions(graph, rank, own));
    ASSERT_EQ(own.recv, graph.receive_schedule(rank).recv);
    ASSERT_EQ(static_cast<unsigned>(own.baseblock), graph.baseblock(rank));
    for (unsigned k = 0; k < graph.rounds(); ++k) {
      ASSERT_EQ(own.recv[k], graph.schedule(graph.from(rank, k)).send[k]) << p << " " << rank;
      ASSERT_EQ(own.send[k], graph.schedule(graph.to(rank, k)).recv[k]) << p << " " << rank;
    }
  }
}

TEST(circulant_schedule, is_the_papers_for_every_rank) {
  const std::uint32_t last = exhaustive() ? 5000 : 800;
  for (std::uint32_t p = 2; p <= last; ++p) {
    const circulant_graph graph(p);
    const circulant_transcription paper(p);
    for (std::uint32_t r = 0; r < p; ++r) {
      ASSERT_EQ(graph.schedule(r), transcribed(paper, r)) << "p = " << p << ", rank " << r;
    }
  }
}

// The rounds in which only the receiver's schedule tells what is sent are found near the borders of
// the parts into which the ranks are halved: there, and anywhere.
TEST(circulant_schedule, is_the_papers_at_ranks_of_large_graphs) {
  std::mt19937_64 random(21);
  const int samples = exhaustive() ? 10000000 : 100000;
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t p = large_size(random, i % 2 == 0);
    const circulant_graph graph(p);
    const circulant_transcription paper(static_cast<std::uint32_t>(p));
    std::uint64_t r = random() % p;
    if (i % 4 >= 2) {  // a few skips and a little more
      r = random() % 40 + p - 20;
      for (int j = 0; j < 3; ++j) r += graph.skips()[random() % graph.skips().size()];
    }
    const auto rank = static_cast<std::uint32_t>(r % p);
    ASSERT_EQ(graph.schedule(rank), transcribed(paper, rank)) << "p = " << p << ", rank " << rank;
  }
}

TEST(circulant_schedule, of_the_paper_has_at_most_four_violations) {
  int most = 0;
  for (std::uint32_t p = 2; p <= 600; ++p) {
    const circulant_transcription paper(p);
    circulant_transcription::entries send;
    for (std::uint32_t r = 0; r < p; ++r) most = std::max(most, paper.send(r, send));
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 4);
}

TEST(circulant_table, holds_the_schedule_of_every_rank) {
  for (const std::uint32_t p : {2u, 3u, 17u, 64u, 100u, 1025u}) {
    const circulant_graph graph(p);
    const circulant_table table(graph);
    for (std::uint32_t r = 0; r < p; ++r) {
      ASSERT_EQ(table.schedule(r), graph.schedule(r)) << "p = " << p << ", rank " << r;
      for (unsigned k = 0; k < graph.rounds(); ++k) {
        ASSERT_EQ(table.received(k)[r], graph.schedule(r).recv[k]);
        ASSERT_EQ(table.sent(r, k), graph.schedule(r).send[k]);
      }
    }
  }
}

using pleat::circulant_rounds, pleat::circulant_step;

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

}  // namespace circulant_test
