// SPDX-License-Identifier: Apache-2.0
// Barriers between ranks, dense and in rounds of any radix, mixed in one run: results and errors
// are those of the model, and as many messages are sent as the index algorithm takes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "processes/index_rounds.hpp"
#include "programs_over_ranks.hpp"

namespace barrier_kinds_test {

using pleat::detail::process_message_cost;
using radices = std::vector<std::size_t>;

constexpr process_message_cost forwards{1, 0};      // all mail but the longest
constexpr process_message_cost avoids_bytes{0, 1};  // only mail that travels in one message

struct kinds {
  const char* name;
  radices of_epochs;
  process_message_cost cost;
};

class barrier_kinds : public testing::TestWithParam<kinds> {
 protected:
  void play(const std::vector<unsigned>& workers, int usual, int breaks) {
    machines_over_ranks machines(workers);
    machines.for_both(
        [](machine_of_ranks& one) { one.fix_kinds(GetParam().of_epochs, GetParam().cost); });
    machines.play(usual, breaks, 17);
  }
};

TEST_P(barrier_kinds, give_what_the_model_says) {
  for (const std::size_t ranks : {2, 3, 5, 9, 17}) play(std::vector<unsigned>(ranks, 1), 3, 0);
}
TEST_P(barrier_kinds, give_what_the_model_says_where_ranks_have_several_workers) {
  play({2, 3, 1, 2}, 4, 0);
  play({1, 1, 2, 1, 1, 2, 1, 1, 1}, 2, 0);
}
TEST_P(barrier_kinds, give_one_of_the_errors_of_broken_programs) {
  for (const std::size_t ranks : {2, 4, 7, 17}) play(std::vector<unsigned>(ranks, 1), 4, 1);
  play({2, 1, 1, 3, 1}, 4, 3);
}

/// Payloads of every way in which memory travels, from each VP to several others, with long ones in
/// some supersteps only.
pleat::task<> send_all_sorts(pleat::vp& me) {
  constexpr std::size_t longest = 10'000;
  constexpr std::size_t times = 6;
  const auto bytes_of = [](std::size_t round, std::size_t from, std::size_t to) {
    if (round % 3 == 2) return std::size_t{0};  // nobody has mail
    return (from + 2 * to + round) % 5 == 0 ? longest : 1 + (from * to) % 40;
  };
  const std::size_t v = me.size();
  std::vector<std::unique_ptr<std::vector<std::uint64_t>>> lent;
  for (std::size_t round = 0; round < times; ++round) {
    lent.clear();
    for (std::size_t to = 0; to < v; ++to) {
      const std::size_t count = bytes_of(round, me.rank(), to);
      if (count == 0) continue;
      lent.push_back(std::make_unique<std::vector<std::uint64_t>>(count));
      std::iota(lent.back()->begin(), lent.back()->end(), me.rank() * 1000 + to);
      if ((me.rank() + to) % 2 == 0)
        me.send(to, *lent.back());
      else
        me.lend(to, std::span<const std::uint64_t>(*lent.back()));
    }
    co_await me.sync(0);
    for (std::size_t from = 0; from < v; ++from) {
      const std::size_t count = bytes_of(round, from, me.rank());
      if (count == 0) continue;
      const auto m = me.receive();
      EXPECT_TRUE(m && m->source() == from);
      if (!m) co_return;
      const std::uint64_t last = from * 1000 + me.rank() + count - 1;
      if (m->lent())
        EXPECT_EQ(m->view<const std::uint64_t>()(0, count - 1), last);
      else
        EXPECT_EQ(m->span<std::uint64_t>()[count - 1], last);
    }
    EXPECT_FALSE(me.receive());
    co_await me.sync(0);
  }
}

TEST_P(barrier_kinds, carry_mail_of_all_lengths_and_what_is_lent) {
  for (const std::size_t ranks : {3, 8, 13}) {
    machine_of_ranks machine(std::vector<unsigned>(ranks, 1));
    machine.fix_kinds(GetParam().of_epochs, GetParam().cost);
    EXPECT_EQ(words_of(machine.run(ranks + 2, send_all_sorts)), "") << ranks;
  }
}

TEST_P(barrier_kinds, deliver_what_vps_that_have_ended_leave) {
  machine_of_ranks machine(std::vector<unsigned>(9, 1));
  machine.fix_kinds(GetParam().of_epochs, GetParam().cost);
  for (std::size_t last = 0; last < 5; ++last) {
    const auto all = machine.run(27, [&](pleat::vp& me) -> pleat::task<> {
      // The VPs of rank 4, then single ones of other ranks, end without a sync.
      const bool ends = me.rank() / 3 == 4 || me.rank() % 7 == 3;
      for (std::size_t round = 0; round < 8; ++round) {
        me.send((me.rank() + round + 1) % 27, me.rank());
        if (ends && round == last) co_return;
        co_await me.sync(0);
        std::size_t count = 0;
        while (const auto m = me.receive()) {
          EXPECT_EQ((m->source() + round + 1) % 27, me.rank());
          EXPECT_EQ(m->get<std::size_t>(), m->source());
          ++count;
        }
        const std::size_t from = (me.rank() + 27 - round - 1) % 27;
        const bool had_ended = round > last && (from / 3 == 4 || from % 7 == 3);
        EXPECT_EQ(count, had_ended ? 0u : 1u) << "round " << round;
      }
    });
    EXPECT_EQ(words_of(all), "") << last;
  }
}

TEST_P(barrier_kinds, fail_on_all_ranks_with_the_same_cause) {
  machine_of_ranks machine(std::vector<unsigned>(10, 1));
  machine.fix_kinds(GetParam().of_epochs, GetParam().cost);
  faults::watchdog dog;
  for (std::size_t round = 0; round < 12; ++round) {
    dog.watch("failures in the middle", round);
    const std::size_t culprit = 3 * round % 10;
    const bool waits = round % 3 == 0;
    const auto all = machine.run(10, [&](pleat::vp& me) -> pleat::task<> {
      for (std::size_t i = 0;; ++i) {
        const std::vector<std::uint64_t> lent(i % 2 == 0 ? 10'000 : 3, me.rank());
        for (std::size_t to = 0; to < 10; ++to) me.lend(to, std::span<const std::uint64_t>(lent));
        if (i == round / 2 && me.rank() == culprit) {
          if (!waits) throw std::runtime_error("as written");
          static_cast<void>(co_await me.pop<int>((culprit + 1) % 10));
        }
        co_await me.sync(0);
        while (me.receive()) {
        }
        co_await me.sync(0);
      }
    });
    const std::string words = words_of(all);
    EXPECT_NE(words.find(waits ? "deadlock" : "as written"), std::string::npos) << words;
  }
  EXPECT_EQ(words_of(machine.run(12, send_all_sorts)), "");
}

INSTANTIATE_TEST_SUITE_P(of_ranks, barrier_kinds,
                         testing::Values(kinds{"dense", {0}, forwards},
                                         kinds{"radix_2", {2}, forwards},
                                         kinds{"radix_2_straight", {2}, avoids_bytes},
                                         kinds{"radix_3", {3}, forwards},
                                         kinds{"radix_5_straight", {5}, avoids_bytes},
                                         kinds{"one_round", {99}, forwards},
                                         kinds{"mixed", {0, 2, 0, 3, 3, 17, 0, 0, 4}, forwards},
                                         kinds{"mixed_straight", {0, 2, 5, 3, 0}, avoids_bytes}),
                         [](const auto& p) { return std::string(p.param.name); });

/// Messages of one rank in four supersteps in which each VP sends `values` to so many others.
std::size_t messages_of_four_supersteps(machine_of_ranks& machine, std::size_t receivers,
                                        std::size_t values = 1) {
  const std::size_t n = machine.ranks(), counted = n / 2;
  std::size_t before = 0, behind = 0;
  const auto all = machine.run(n, [&](pleat::vp& me) -> pleat::task<> {
    const std::vector<std::uint64_t> mine(values, me.rank());
    for (std::size_t superstep = 1; superstep <= 5; ++superstep) {
      for (std::size_t k = 1; k <= receivers; ++k) me.send((me.rank() + k) % n, mine);
      co_await me.sync(0);
      if (me.rank() == counted) (superstep == 1 ? before : behind) = machine.link(counted).posted;
      std::size_t count = 0;
      while (me.receive()) ++count;
      EXPECT_EQ(count, receivers);
    }
  });
  EXPECT_EQ(words_of(all), "");
  return behind - before;
}

TEST(messages_of_rounds, are_those_of_the_index_algorithm) {
  for (std::size_t n = 2; n <= 17; ++n) {
    machine_of_ranks machine(std::vector<unsigned>(n, 1));
    for (const std::size_t radix : {2, 3, 5, 17}) {
      machine.fix_kinds({radix}, forwards);
      const double rounds = std::ceil(std::log2(n) / std::log2(radix) - 1e-9);
      const std::size_t sent = pleat::detail::index_rounds{n, radix}.sent().messages;
      EXPECT_LE(static_cast<double>(sent), static_cast<double>(radix - 1) * rounds);
      EXPECT_EQ(messages_of_four_supersteps(machine, radix == 3 ? 0 : n - 1), 4 * sent)
          << n << " ranks, radix " << radix;
    }
    machine.fix_kinds({0}, forwards);
    EXPECT_EQ(messages_of_four_supersteps(machine, n - 1), 4 * (n - 1));
  }
}

TEST(messages_of_rounds, tell_too_that_all_ranks_have_left) {
  for (const std::size_t n : {3, 12}) {
    machine_of_ranks machine(std::vector<unsigned>(n, 1));
    machine.fix_kinds({4}, forwards);
    for (std::size_t supersteps = 1; supersteps <= 3; ++supersteps) {
      const auto all = machine.run(n, [&](pleat::vp& me) -> pleat::task<> {
        for (std::size_t i = 0; i < supersteps; ++i) co_await me.sync(0);
      });
      EXPECT_EQ(words_of(all), "");
      for (std::size_t rank = 0; rank < n; ++rank)
        EXPECT_EQ(machine.link(rank).departures_posted, 0u);
    }
  }
}

TEST(messages_of_rounds, are_one_more_for_each_rank_to_which_long_mail_goes) {
  for (const std::size_t n : {2, 5, 12}) {
    machine_of_ranks machine(std::vector<unsigned>(n, 1));
    machine.fix_kinds({3}, forwards);
    const std::size_t sent = pleat::detail::index_rounds{n, 3}.sent().messages;
    for (const std::size_t receivers : {std::size_t{1}, n - 1})
      EXPECT_EQ(messages_of_four_supersteps(machine, receivers, 5000), 4 * (sent + receivers)) << n;
  }
}

}  // namespace barrier_kinds_test
