// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iostream>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/runtime/error.hpp>

int main() {
  const pleat::circulant_graph graph(9);
  const pleat::circulant_rounds rounds(graph, 10);
  for (std::uint32_t rank = 1; rank < graph.processors(); ++rank) {
    const pleat::circulant_schedule own = graph.schedule(rank);
    std::size_t received = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const auto step = rounds.step(graph, own, rank, 0, i);
      if (step.received != pleat::circulant_step::none) ++received;
    }
    if (received != rounds.blocks()) return 1;
  }
  try {
    const pleat::circulant_graph none(0);
    return 1;
  } catch (const pleat::usage_error& refusal) {
    std::cout << "collectives: 10 blocks in " << rounds.size() << " rounds; " << refusal.what()
              << '\n';
  }
}
