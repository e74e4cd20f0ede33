// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "rank_threads.hpp"

namespace rank_turn_test {

/// Everybody's rank, as the next VP has heard of it.
pleat::task<> pass_on(pleat::vp& me, std::vector<std::size_t>& heard) {
  me.send((me.rank() + 1) % me.size(), me.rank());
  co_await me.sync(0);
  heard[me.rank()] = me.receive()->get<std::size_t>();
}

void expect_heard(const std::vector<std::size_t>& heard, std::size_t v) {
  for (std::size_t i = 0; i < v; ++i) EXPECT_EQ(heard[i], (i + v - 1) % v);
}

TEST(rank_turn, makes_the_machine_that_of_one_rank) {
  const machine_of_ranks machine({2, 1, 3});
  on_all_ranks(3, [&](std::size_t rank) {
    pleat::machine& on = machine.on(rank);
    {
      const pleat::machine::rank_turn here(on);
      EXPECT_EQ(on.ranks(), 1u);
      EXPECT_EQ(on.rank(), 0u);
      EXPECT_EQ(on.threads(), rank == 0 ? 2u : rank == 1 ? 1u : 3u);
      EXPECT_EQ(on.vps_here(5), (pleat::rank_range{0, 5}));
      const pleat::machine::turn library(on, pleat::machine::use::scratch);
    }
    EXPECT_EQ(on.ranks(), 3u);
    EXPECT_EQ(on.rank(), rank);
    EXPECT_EQ(on.threads(), 6u);
  });
}

TEST(rank_turn, runs_programs_of_different_sizes_between_those_of_all_ranks) {
  const machine_of_ranks machine({2, 1, 1});
  on_all_ranks(3, [&](std::size_t rank) {
    pleat::machine& on = machine.on(rank);
    for (std::size_t round = 0; round < 20; ++round) {
      {
        const pleat::machine::rank_turn here(on);
        for (std::size_t i = 0; i < 3 * rank + round % 3; ++i) {
          const std::size_t v = 1 + rank + i;
          std::vector<std::size_t> heard(v);
          on.run(v, [&](pleat::vp& me) { return pass_on(me, heard); });
          expect_heard(heard, v);
        }
      }
      const std::size_t v = round % 2 == 0 ? 4 : 9;
      std::vector<std::size_t> heard(v);
      on.run(v, [&](pleat::vp& me) { return pass_on(me, heard); });
      const pleat::rank_range mine = on.vps_here(v);
      for (std::size_t i = mine.first; i < mine.last; ++i) EXPECT_EQ(heard[i], (i + v - 1) % v);
    }
  });
}

TEST(rank_turn, keeps_a_failure_on_its_rank) {
  const machine_of_ranks machine({1, 1});
  on_all_ranks(2, [&](std::size_t rank) {
    pleat::machine& on = machine.on(rank);
    if (rank == 1) {
      const pleat::machine::rank_turn here(on);
      EXPECT_THROW(on.run(2,
                          [](pleat::vp& me) -> pleat::task<> {
                            if (me.rank() == 1) throw std::runtime_error("of this rank");
                            co_await me.sync(0);
                          }),
                   pleat::vp_failed);
    }
    std::vector<std::size_t> heard(4);
    on.run(4, [&](pleat::vp& me) { return pass_on(me, heard); });
  });
}

TEST(rank_turn, may_be_inside_another) {
  const machine_of_ranks machine({1, 2});
  on_all_ranks(2, [&](std::size_t rank) {
    pleat::machine& on = machine.on(rank);
    const pleat::machine::turn outer(on);
    {
      const pleat::machine::rank_turn here(on);
      {
        const pleat::machine::rank_turn again(on);
        EXPECT_EQ(on.ranks(), 1u);
      }
      EXPECT_EQ(on.ranks(), 1u);
    }
    EXPECT_EQ(on.ranks(), 2u);
  });
}

TEST(rank_turn, is_a_turn_on_a_machine_of_one_process) {
  pleat::machine on({.processors = 2, .workers = pleat::workers::free});
  const pleat::machine::rank_turn here(on);
  std::vector<std::size_t> heard(4);
  on.run(4, [&](pleat::vp& me) { return pass_on(me, heard); });
  expect_heard(heard, 4);
}

}  // namespace rank_turn_test
