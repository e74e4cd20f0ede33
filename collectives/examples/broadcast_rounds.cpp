// SPDX-License-Identifier: Apache-2.0
// A broadcast of n blocks for a network of your own: who sends which block to whom in which round.
// The rounds are carried out here on plain arrays; no machine takes part.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>

int main() {
  constexpr std::uint32_t ranks = 21;
  constexpr std::size_t blocks = 8;
  const pleat::circulant_graph graph(ranks);
  const pleat::circulant_table table(graph);  // one rank's schedule alone: graph.schedule(rank)
  const pleat::circulant_rounds rounds(graph, blocks);

  std::vector<std::vector<bool>> has(ranks, std::vector<bool>(blocks, false));
  has[0].assign(blocks, true);
  bool possible = true;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const auto before = has;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto step = rounds.step(graph, table.schedule(rank), rank, 0, round);
      if (step.sent == pleat::circulant_step::none) continue;
      possible = possible && before[rank][step.sent];
      has[step.to][step.sent] = true;
      if (rank == 0) std::printf("round %zu: 0 sends block %zu to %u\n", round, step.sent, step.to);
    }
  }

  std::size_t arrived = 0;
  for (const auto& mine : has)
    for (const bool one : mine) arrived += one ? 1 : 0;
  std::printf("%zu rounds, the fewest there can be\n", rounds.size());
  return possible && arrived == ranks * blocks && rounds.size() == blocks - 1 + 5 ? 0 : 1;
}
