// SPDX-License-Identifier: Apache-2.0
// Channels and collective operations over the ranks of MPI.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mpi.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

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

/// Returns what running the script on the machine throws, in words, and what this process has found
/// wrong.
std::string outcome_of(pleat::machine& machine, const script& all, verdict& found) {
  std::vector<word> none;
  try {
    machine.run(all.v, [&](vp& me) { return carry_out(all, me, found, none); });
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
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
      EXPECT_EQ(outcome_of(machine, all, found), "");
      EXPECT_EQ(found.text(), "");
    }
  });
}

TEST(operations_over_ranks, stream_through_channels_in_both_directions) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    pleat::machine machine(over(comm));
    const std::size_t v = machine.ranks() + 1;
    machine.run(v, [&](vp& me) -> task<> {
      const std::size_t next = (me.rank() + 1) % v, before = (me.rank() + v - 1) % v;
      for (word i = 0; i < 3000; ++i) {
        co_await me.push(next, i);
        if (i % 3 == 0) co_await me.push(before, ~i);
        const word up = co_await me.pop<word>(before);
        EXPECT_EQ(up, i);
        if (i % 3 != 0) continue;
        const word down = co_await me.pop<word>(next);
        EXPECT_EQ(down, ~i);
      }
    });
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

TEST(operations_over_ranks, move_much) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    pleat::machine machine(over(comm));
    const std::size_t v = machine.ranks(), n = 100'000;
    machine.run(v, [&](vp& me) -> task<> {
      std::vector<word> x(n, me.rank() + 1), sum(n), all(n * v);
      co_await pleat::all_reduce(me, x, sum, std::plus<>{});
      EXPECT_EQ(std::count(sum.begin(), sum.end(), v * (v + 1) / 2), static_cast<long>(n));
      co_await pleat::all_gather(me, x, all);
      for (std::size_t rank = 0; rank < v; ++rank) EXPECT_EQ(all[rank * n + n / 2], rank + 1);
      co_await pleat::broadcast(me, all, {.root = v - 1});
      EXPECT_EQ(all.back(), v);
    });
  });
}

}  // namespace operations_over_ranks_test
