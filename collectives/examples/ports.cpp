// SPDX-License-Identifier: Apache-2.0
// All-to-all and all-gather on a network whose nodes have several ports: which radix is best for
// which size, and how many rounds are left with more ports.
#include <cstdio>

#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/index_schedule.hpp>
#include <pleat/collectives/message_cost.hpp>

int main() {
  constexpr std::size_t nodes = 64;
  const pleat::message_cost ethernet{.start = 20e-6, .per_byte = 1e-9};
  for (const std::size_t bytes : {8, 1024, 131'072}) {
    const std::size_t radix = pleat::best_index_radix(nodes, 1, bytes, ethernet);
    const pleat::index_schedule schedule(nodes, radix, 1);
    std::printf("all-to-all of %zu bytes each: radix %zu, %zu rounds, %zu blocks a node\n", bytes,
                radix, schedule.rounds(), schedule.volume());
  }
  std::size_t rounds = 0;
  for (const std::size_t ports : {1, 3, 7}) {
    const pleat::concatenation_schedule schedule(nodes, 1, ports);
    rounds = schedule.rounds().size();
    std::printf("all-gather with %zu ports: %zu rounds, %zu blocks a port\n", ports, rounds,
                schedule.volume());
  }
  // Small blocks want few rounds, large ones few bytes.
  const std::size_t small = pleat::best_index_radix(nodes, 1, 8, ethernet);
  const std::size_t large = pleat::best_index_radix(nodes, 1, 131'072, ethernet);
  return small == 2 && large > nodes / 2 && rounds == 2 ? 0 : 1;
}
