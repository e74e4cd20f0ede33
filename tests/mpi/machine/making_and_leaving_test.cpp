// SPDX-License-Identifier: Apache-2.0
// Machines over the ranks of MPI as they are made and destroyed: on all of them or on none, in any
// order, and by an exception on one.
#include <cstddef>
#include <memory>
#include <mpi.h>
#include <sched.h>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>

#include "on_ranks_of_mpi.hpp"

namespace making_and_leaving_test {

TEST(machines_over_ranks, may_be_destroyed_in_another_order_on_each_of_them) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    for (int round = 0; round < 3; ++round) {
      auto first = std::make_unique<pleat::machine>(over(comm));
      auto second = std::make_unique<pleat::machine>(over(comm));
      for (pleat::machine* const one : {first.get(), second.get()})
        one->run(one->ranks(), [](pleat::vp& me) -> pleat::task<> {
          me.send((me.rank() + 1) % me.size(), me.rank());
          co_await me.sync(0);
        });
      if ((rank_in(comm) + round) % 2 == 0) std::swap(first, second);
      first.reset();
      second.reset();
    }
  });
}

// A rank that leaves by an exception keeps nobody, whatever is under way: large messages wait for
// their receivers.
TEST(machines_over_ranks, is_left_by_an_exception_on_one_of_them) {
  static const std::vector<char> large(std::size_t{1} << 20, 'a');
  on_numbers_of_ranks([](MPI_Comm comm) {
    for (const int unwinds : {0, size_of(comm) - 1}) {
      const auto leave = [&] {
        pleat::machine machine(over(comm));
        const auto fails = [&] {
          machine.run(machine.ranks(), [](pleat::vp& me) -> pleat::task<> {
            if (me.rank() == 0) throw std::runtime_error("as written");
            for (const std::size_t to : {std::size_t{0}, me.size() - 1})
              me.lend(to, std::span(large));
            co_await me.sync(0);
          });
        };
        if (rank_in(comm) == unwinds) fails();
        EXPECT_THROW(fails(), pleat::vp_failed);
      };
      if (rank_in(comm) == unwinds)
        EXPECT_THROW(leave(), pleat::vp_failed);
      else
        leave();
      MPI_Barrier(comm);
    }
  });
}

TEST(machines_over_ranks, is_made_on_all_of_them_or_on_none) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    const bool asks_too_much = rank_in(comm) == size_of(comm) - 1;
    EXPECT_THROW(pleat::machine(over(comm, asks_too_much ? 99'999 : 1)), pleat::error);
    const pleat::machine works(over(comm));
  });
}

TEST(machines_over_ranks, divides_the_cores_of_a_node) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    pleat::machine machine(pleat::mpi::over(comm));
    const auto ranks = static_cast<unsigned>(size_of(comm));
    const unsigned cores = pleat::topology::host().available();
    std::vector<int> users(machine.topology().units().size());
    for (const pleat::processor& at : machine.placement().processors) ++users.at(at.pu);
    MPI_Allreduce(MPI_IN_PLACE, users.data(), static_cast<int>(users.size()), MPI_INT, MPI_SUM,
                  comm);
    const int most = static_cast<int>((ranks + cores - 1) / cores);
    for (const int count : users) EXPECT_LE(count, most);
    EXPECT_EQ(machine.threads(), std::max(cores, ranks));
  });
}

/// The host for a process that has restricted itself to one PU.
pleat::topology host_of_one_pu(unsigned pu) {
  cpu_set_t before, one;
  CPU_ZERO(&one);
  CPU_SET(pu, &one);
  EXPECT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  pleat::topology host = pleat::topology::load_host();
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  return host;
}

TEST(machines_over_ranks, divides_the_cores_after_machines_that_share_none) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    const auto cores = pleat::place(pleat::topology::host()).processors;
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    if (ranks > cores.size()) return;
    const unsigned mine = cores[static_cast<std::size_t>(rank_in(comm))].pu;
    for (int i = 0; i < 2; ++i) {
      const pleat::machine apart(pleat::mpi::over(comm, {.topology = host_of_one_pu(mine)}));
      EXPECT_EQ(apart.threads(), ranks);
    }
    const pleat::machine together(pleat::mpi::over(comm));
    EXPECT_EQ(together.threads(), cores.size());
  });
}

}  // namespace making_and_leaving_test
