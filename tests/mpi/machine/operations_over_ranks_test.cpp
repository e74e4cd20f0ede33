// SPDX-License-Identifier: Apache-2.0
// Collective operations over the ranks of MPI.
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/collective_player.hpp"
#include "model/collective_script.hpp"
#include "on_ranks_of_mpi.hpp"
#include "seed.hpp"
#include "unit/collectives/tree_sums.hpp"

namespace operations_over_ranks_test {

using namespace model;

/// Seed that is the same on all ranks.
std::uint64_t common_seed() {
  std::uint64_t first = seed();
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return first;
}

TEST(operations_over_ranks, give_what_plain_loops_give) {
  const std::uint64_t first = common_seed();
  on_numbers_of_ranks([&](MPI_Comm comm) {
    pleat::machine machine(over(comm, 1 + static_cast<unsigned>(rank_in(comm)) % 2));
    const std::size_t ranks = machine.ranks();
    for (std::size_t round = 0; round < (ranks > 8 ? 6 : 24); ++round) {
      const std::uint64_t of_round = first + 100 * ranks + round;
      SCOPED_TRACE("seed " + std::to_string(of_round));
      const std::size_t v = 1 + mix(of_round) % 40;
      const script all = random_script(of_round, v, pleat::label_count(v), fault::none);
      verdict found;
      std::vector<word> none;
      EXPECT_EQ(
          words_of_failure(machine, v, [&](vp& me) { return carry_out(all, me, found, none); }),
          "");
      EXPECT_EQ(found.text(), "");
    }
  });
}

TEST(operations_over_ranks, add_up_along_one_tree) {
  on_numbers_of_ranks([&](MPI_Comm comm) {
    pleat::machine machine(over(comm, 1 + static_cast<unsigned>(rank_in(comm)) % 2));
    const std::size_t ranks = machine.ranks();
    for (const std::size_t n : {1u, 1003u, ranks > 4 ? 0u : 1'000'003u}) {
      for (const std::size_t v : {ranks, 13ul, 33ul}) {
        if (n > 10'000 && v != 13) continue;
        for (const pleat::message_cost& cost : tree_sums::costs()) {
          std::vector<std::string> wrong(v);
          machine.run(v, [&](vp& me) {
            return tree_sums::compare(me, n, {.cost = cost}, wrong[me.rank()]);
          });
          EXPECT_EQ(wrong, std::vector<std::string>(v)) << v << " VPs, " << n << " elements";
        }
      }
    }
  });
}

}  // namespace operations_over_ranks_test
