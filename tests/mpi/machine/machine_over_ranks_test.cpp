// SPDX-License-Identifier: Apache-2.0
// A machine over the ranks of MPI: 1, 2, 3 … of those that were launched.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/evaluate.hpp>

#include "model/counted_program.hpp"
#include "model/judged_run.hpp"
#include "model/random_program.hpp"
#include "on_ranks_of_mpi.hpp"
#include "processes/link.hpp"
#include "random_rounds.hpp"

namespace machine_over_ranks_test {

TEST(machine_over_ranks, plays_random_programs_as_the_model_says) {
  std::uint64_t first_seed = seed();
  MPI_Bcast(&first_seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  on_numbers_of_ranks([&](MPI_Comm comm) {
    pleat::machine machine(over(comm, 1 + static_cast<unsigned>(rank_in(comm)) % 2));
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    for (std::size_t round = 0; round < (ranks > 8 ? 6 : 24); ++round) {
      const std::uint64_t of_round = first_seed + 100 * ranks + round;
      SCOPED_TRACE("seed " + std::to_string(of_round));
      dice random(of_round);
      const std::size_t v = 1 + random(random(3) == 0 ? 60 : 9);
      model::program all = model::random_program(v, random, machine.strict());
      for (std::size_t breaks = round % 3; breaks > 0; --breaks)
        model::break_somewhere(all, random);
      const pleat::rank_range here = machine.vps_here(v);
      model::judge(all, machine.strict(), here,
                   [&](auto program) { return machine.run(v, program); });
    }
  });
}

// Kinds of barriers one after the other, with short and long mail for all, and with none.
TEST(machine_over_ranks, forwards_mail_in_rounds_of_any_radix) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    for (const std::vector<std::size_t>& radices :
         {std::vector<std::size_t>{2}, {3}, {5, 0, 2, 0, 17, 4}, {}}) {
      pleat::rank_options options = over(comm);
      options.link->fix_radices(radices);
      pleat::machine machine(std::move(options));
      const std::size_t v = 2 * machine.ranks() + 1, times = 20;
      machine.run(v, [&](pleat::vp& me) -> pleat::task<> {
        const auto length = [](std::size_t time, std::size_t from) -> std::size_t {
          return time % 4 == 3 ? 0 : (time + from) % 7 == 0 ? 5000 : 1 + from % 20;
        };
        for (std::size_t time = 0; time < times; ++time) {
          const std::vector<std::uint64_t> mine(length(time, me.rank()), me.rank() + time);
          for (std::size_t to = 0; to < v && !mine.empty(); ++to) me.send(to, mine);
          co_await me.sync(0);
          for (std::size_t from = 0; from < v && length(time, from) != 0; ++from) {
            const auto m = me.receive();
            EXPECT_TRUE(m && m->source() == from);
            if (!m) co_return;
            EXPECT_EQ(m->span<std::uint64_t>().size(), length(time, from));
            EXPECT_EQ(m->span<std::uint64_t>().back(), from + time);
          }
          EXPECT_FALSE(me.receive());
        }
      });
    }
  });
}

// Lent memory is read while it travels, and freed as soon as the run has failed: by the virtual
// processors, and by the caller.
TEST(machine_over_ranks, reads_nothing_that_was_lent_once_a_run_has_failed) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    pleat::machine machine(over(comm, 1 + static_cast<unsigned>(rank_in(comm)) % 2));
    const std::size_t v = 2 * machine.ranks(), n = 50'000;
    for (std::size_t time = 0; time < (machine.ranks() > 8 ? 5 : 20); ++time) {
      const auto of_caller = std::make_unique<std::vector<std::uint64_t>>(n, time);
      const std::size_t culprit = (5 * time + 1) % v;
      const auto lend_and_fail = [&](pleat::vp& me) -> pleat::task<> {
        std::vector<std::uint64_t> mine(n, me.rank());
        for (std::size_t round = 0;; ++round) {
          me.lend((me.rank() + v / 2) % v, std::span<const std::uint64_t>(mine));
          me.lend((me.rank() + 1) % v, std::span<const std::uint64_t>(*of_caller));
          if (round == time % 3 && me.rank() == culprit) throw std::runtime_error("as written");
          co_await me.sync(0);
          while (const auto m = me.receive()) {
            const auto got = m->view<const std::uint64_t>();
            EXPECT_TRUE(got(0, n - 1) == m->source() || got(0, n - 1) == time);
          }
          co_await me.sync(0);
        }
      };
      const std::string words = words_of_failure(machine, v, lend_and_fail);
      EXPECT_EQ(words.rfind("VP " + std::to_string(culprit), 0), 0u) << words;
    }
    machine.run(v,
                [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); });  // as good as before
  });
}

// Lengths around those at which it is divided differently; what arrives is what was lent.
TEST(machine_over_ranks, carries_loans_of_all_lengths_and_of_rows_that_are_apart) {
  on_numbers_of_ranks([](MPI_Comm comm) {
    pleat::machine machine(over(comm));
    const std::size_t v = machine.ranks();
    if (v > 8) return;  // no other paths, and much memory
    for (const std::size_t bytes :
         {1UL, 40'000UL, 262'143UL, 262'144UL, 262'145UL, 393'216UL, 1'000'003UL, 5'000'001UL}) {
      machine.run(v, [&](pleat::vp& me) -> pleat::task<> {
        const std::size_t stride = bytes + 13, rows = 3;
        std::vector<unsigned char> mine(rows * stride);
        for (std::size_t i = 0; i < mine.size(); ++i)
          mine[i] = static_cast<unsigned char>(i % 251 + me.rank());
        me.lend((me.rank() + 1) % v,
                pleat::strided_view<const unsigned char>{mine.data(), rows, bytes, stride});
        me.lend((me.rank() + 1) % v, std::span<const unsigned char>(mine.data(), bytes));
        co_await me.sync(0);
        const std::size_t from = (me.rank() + v - 1) % v;
        for (const std::size_t rows_lent : {rows, std::size_t{1}}) {
          const auto m = me.receive();
          EXPECT_TRUE(m && m->bytes() == rows_lent * bytes);
          if (!m) co_return;
          const auto got = m->view<const unsigned char>();
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < rows_lent; ++i) {
            for (std::size_t j = 0; j < bytes; ++j)
              wrong +=
                  got(i, j) == static_cast<unsigned char>((i * stride + j) % 251 + from) ? 0 : 1;
          }
          EXPECT_EQ(wrong, 0u) << bytes << " bytes";
        }
        co_await me.sync(0);
      });
    }
  });
}

}  // namespace machine_over_ranks_test
