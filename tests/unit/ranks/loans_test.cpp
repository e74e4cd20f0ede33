// SPDX-License-Identifier: Apache-2.0
// Large memory that is lent to another rank is read while it travels: whoever has lent it may free
// it when it has passed the next barrier, or when the run has failed. Sanitizers see whether
// somebody reads it later; the link of these ranks reads it when the receiver polls.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "processes/wire.hpp"
#include "rank_threads.hpp"

namespace loans_test {

constexpr std::size_t words = 10'000;
static_assert(words * sizeof(std::uint64_t) > pleat::detail::travels_beside);

std::vector<std::uint64_t> words_of_vp(std::size_t rank, std::size_t round) {
  std::vector<std::uint64_t> all(words);
  std::iota(all.begin(), all.end(), rank * 1000 + round);
  return all;
}

TEST(loans_over_ranks, arrive_before_the_owner_has_passed_the_barrier) {
  for (const auto& workers : {std::vector<unsigned>{1, 1}, std::vector<unsigned>{2, 1, 2}}) {
    machine_of_ranks machine(workers);
    const std::size_t v = 6;
    const auto all = machine.run(v, [](pleat::vp& me) -> pleat::task<> {
      for (std::size_t round = 0; round < 20; ++round) {
        auto mine = std::make_unique<std::vector<std::uint64_t>>(words_of_vp(me.rank(), round));
        const std::size_t to = (me.rank() + me.size() / 2) % me.size();
        me.lend(to, std::span<const std::uint64_t>(*mine));
        co_await me.sync(0);
        const std::size_t from = (me.rank() + me.size() - me.size() / 2) % me.size();
        const auto m = me.receive();
        EXPECT_TRUE(m && m->source() == from);
        if (!m) co_return;
        const auto view = m->view<const std::uint64_t>();
        EXPECT_EQ(view(0, words - 1), from * 1000 + round + words - 1);
        co_await me.sync(0);
      }
    });
    EXPECT_EQ(words_of(all), "");
    EXPECT_GE(machine.link(0).loans_posted, 20u);
  }
}

// A window of a matrix: rows that are apart, with anything between them.
TEST(loans_over_ranks, of_rows_that_are_apart_come_in_one_piece) {
  machine_of_ranks machine({1, 1});
  const std::size_t rows = 70, columns = 500, stride = 777;
  const auto all = machine.run(2, [&](pleat::vp& me) -> pleat::task<> {
    std::vector<double> matrix(rows * stride, -1.0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        matrix[i * stride + j] = static_cast<double>(i * columns + j + me.rank());
    }
    const pleat::strided_view<const double> window{matrix.data(), rows, columns, stride};
    me.lend(1 - me.rank(), window);
    co_await me.sync(0);
    const auto m = me.receive();
    EXPECT_TRUE(m);
    if (!m) co_return;
    const auto got = m->view<const double>();
    EXPECT_EQ(got.rows, rows);
    EXPECT_EQ(got.stride, columns);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < rows * columns; ++k)
      wrong += got.data[k] == static_cast<double>(k + 1 - me.rank()) ? 0 : 1;
    EXPECT_EQ(wrong, 0u);
    co_await me.sync(0);
  });
  EXPECT_EQ(words_of(all), "");
  EXPECT_EQ(machine.link(0).loans_posted, 1u);
}

// Few have mail: barriers in which mail goes to those alone to whom it is sent.
TEST(loans_over_ranks, arrive_at_sparse_barriers) {
  machine_of_ranks machine(std::vector<unsigned>(12, 1));
  const auto all = machine.run(12, [](pleat::vp& me) -> pleat::task<> {
    for (std::size_t round = 0; round < 10; ++round) {
      std::vector<std::uint64_t> mine = words_of_vp(me.rank(), round);
      const std::size_t to = (me.rank() + 5) % 12, from = (me.rank() + 7) % 12;
      if (round % 2 == 0) me.lend(to, std::span<const std::uint64_t>(mine));
      co_await me.sync(0);
      const auto m = me.receive();
      EXPECT_EQ(m.has_value(), round % 2 == 0);
      if (m) {
        const auto view = m->view<const std::uint64_t>();
        EXPECT_EQ(view(0, 1), from * 1000 + round + 1);
      }
      co_await me.sync(0);
    }
  });
  EXPECT_EQ(words_of(all), "");
}

// VPs that end without a sync leave their messages to a later barrier, and their memory is gone.
TEST(loans_over_ranks, of_those_that_end_are_copied_at_once) {
  machine_of_ranks machine({1, 1});
  std::vector<std::unique_ptr<std::vector<std::uint64_t>>> memory(2);
  const auto all = machine.run(2, [&](pleat::vp& me) -> pleat::task<> {
    if (me.rank() == 1) {
      memory[1] = std::make_unique<std::vector<std::uint64_t>>(words_of_vp(1, 0));
      me.lend(0, std::span<const std::uint64_t>(*memory[1]));
      co_return;
    }
    co_await me.sync(0);
    const auto m = me.receive();
    EXPECT_TRUE(m);
    if (!m) co_return;
    const auto view = m->view<const std::uint64_t>();
    EXPECT_EQ(view(0, 5), 1005u);
  });
  EXPECT_EQ(words_of(all), "");
}

enum class how { throws, differs_in_labels, waits_for_ever };

/// Every virtual processor lends memory of its own frame, and of its rank's caller, to another
/// rank; then one of them fails, before or behind the barrier, while the others' is under way.
pleat::task<> lend_and_fail(pleat::vp& me, std::size_t culprit, std::size_t rounds, how fails,
                            const std::vector<std::uint64_t>& of_caller) {
  std::vector<std::uint64_t> mine(words, me.rank());
  const std::size_t to = (me.rank() + me.size() / 2) % me.size();
  for (std::size_t round = 0; round <= rounds; ++round) {
    me.lend(to, std::span<const std::uint64_t>(mine));
    me.lend(to, std::span<const std::uint64_t>(of_caller));
    if (round == rounds && me.rank() == culprit) {
      if (fails == how::throws) throw std::runtime_error("as written");
      if (fails == how::differs_in_labels) co_await me.sync(1);
      const int never = co_await me.pop<int>(me.rank() == 0 ? 1 : 0);
      EXPECT_EQ(never, 0) << "nobody pushes";
    }
    co_await me.sync(0);
    while (const auto m = me.receive()) {
      const auto view = m->view<const std::uint64_t>();
      EXPECT_TRUE(view(0, words - 1) == m->source() || view(0, words - 1) == 77);
    }
    co_await me.sync(0);
  }
}

TEST(loans_over_ranks, may_be_freed_as_soon_as_a_run_has_failed) {
  for (const auto& workers : {std::vector<unsigned>{1, 1}, std::vector<unsigned>{2, 2},
                              std::vector<unsigned>{1, 2, 1, 1}}) {
    machine_of_ranks machine(workers);
    std::minstd_rand random(7);
    for (int time = 0; time < 40; ++time) {
      const std::size_t v = 8, culprit = random() % v, rounds = random() % 3;
      const how fails = time % 8 == 0   ? how::waits_for_ever
                        : time % 8 == 1 ? how::differs_in_labels
                                        : how::throws;
      const auto thrown = on_all_ranks(machine.ranks(), [&](std::size_t rank) {
        const auto of_caller = std::make_unique<std::vector<std::uint64_t>>(words, 77);
        machine.on(rank).run(v, [&](pleat::vp& me) {
          return lend_and_fail(me, culprit, rounds, fails, *of_caller);
        });
      });
      for (const std::exception_ptr& one : thrown) {
        EXPECT_TRUE(one);
        EXPECT_EQ(words_of(one), words_of(thrown[0]));
      }
    }
    const auto works = machine.run(2, [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); });
    EXPECT_EQ(words_of(works), "");
  }
}

// One rank is still on its way to the run when another has lent to it and failed.
TEST(loans_over_ranks, are_taken_back_where_a_rank_comes_late) {
  machine_of_ranks machine({2, 1});
  for (int time = 0; time < 10; ++time) {
    std::atomic<bool> failed{false};
    const auto thrown = on_all_ranks(2, [&](std::size_t rank) {
      while (rank == 1 && !failed) std::this_thread::yield();
      const auto of_caller = std::make_unique<std::vector<std::uint64_t>>(words, 77);
      machine.on(rank).run(3, [&](pleat::vp& me) -> pleat::task<> {
        me.lend((me.rank() + 2) % 3, std::span<const std::uint64_t>(*of_caller));
        if (me.rank() == 0) {
          failed = true;
          throw std::runtime_error("as written");
        }
        co_await me.sync(0);
      });
    });
    for (const std::exception_ptr& one : thrown)
      EXPECT_NE(words_of(one).find("as written"), std::string::npos);
  }
}

}  // namespace loans_test
