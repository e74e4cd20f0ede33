// SPDX-License-Identifier: Apache-2.0
// push and pop between virtual processors of different ranks.
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "faults/watchdog.hpp"
#include "rank_threads.hpp"

namespace channels_test {

using pleat::task, pleat::vp;

constexpr int holds = 64;  // values, a channel

class channels_of_ranks : public testing::TestWithParam<std::vector<unsigned>> {
 protected:
  template <class Program> std::string play(std::size_t v, const Program& program) {
    dog_.watch("a program over ranks", ++runs_);
    return words_of(machine_.run(v, program));
  }
  machine_of_ranks machine_{GetParam()};
  std::size_t runs_ = 0;
  faults::watchdog dog_;
};

struct widest {
  std::array<std::uint64_t, 6> words;
};

TEST_P(channels_of_ranks, carry_values_of_all_sizes_between_all_pairs_at_once) {
  for (const std::size_t v : {1, 2, 5, 24}) {
    EXPECT_EQ(play(v,
                   [](vp& me) -> task<> {
                     for (std::uint64_t round = 0; round < 20; ++round) {
                       for (std::size_t to = 0; to < me.size(); ++to) {
                         co_await me.push(to, static_cast<char>('a' + round));
                         co_await me.push(to, widest{{me.rank(), to, round, 3, 4, 5}});
                       }
                       for (std::size_t from = 0; from < me.size(); ++from) {
                         const char c = co_await me.pop<char>(from);
                         const widest w = co_await me.pop<widest>(from);
                         EXPECT_EQ(c, static_cast<char>('a' + round));
                         EXPECT_EQ(w.words[0], from);
                         EXPECT_EQ(w.words[1], me.rank());
                         EXPECT_EQ(w.words[2], round);
                         EXPECT_EQ(w.words[5], 5u);
                       }
                     }
                   }),
              "");
  }
}

TEST_P(channels_of_ranks, hold_as_many_values_as_those_inside_a_rank) {
  const auto fill = [&](int values) {
    return play(machine_.on(0).threads(), [&](vp& me) -> task<> {
      for (int i = 0; me.rank() == 0 && i < values; ++i) co_await me.push(me.size() - 1, i);
    });
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(fill(holds), "");
    const std::string last = std::to_string(machine_.on(0).threads() - 1);
    EXPECT_EQ(fill(holds + 1).rfind(
                  "deadlock: no virtual processor can go on: VP 0 in push to VP " + last, 0),
              0u);
  }
}

TEST_P(channels_of_ranks, are_empty_when_a_run_begins) {
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(play(9,
                   [&](vp& me) -> task<> {
                     const std::size_t other = me.size() - 1 - me.rank();
                     co_await me.push(other, run);
                     const int got = co_await me.pop<int>(other);
                     EXPECT_EQ(got, run);
                     for (int i = 0; i < run; ++i) co_await me.push(other, -1);  // for nobody
                   }),
              "");
  }
}

TEST_P(channels_of_ranks, end_the_waits_of_all_with_the_first_cause) {
  for (const std::size_t v : {2, 9, 20}) {
    EXPECT_EQ(play(v,
                   [](vp& me) -> task<> {
                     const std::size_t last = me.size() - 1;
                     while (me.rank() != last) (void)co_await me.pop<int>(last);
                     for (int i = 0; i < 10; ++i) co_await me.push(0, i);
                     throw std::runtime_error("as written");
                   }),
              "VP " + std::to_string(v - 1) + " of M(" + std::to_string(v) +
                  ") failed before its first sync: as written");
  }
}

TEST_P(channels_of_ranks, name_what_is_waited_for_without_end) {
  const std::string words = play(6, [](vp& me) -> task<> {
    if (me.rank() == 2) co_return;
    for (int i = 0; me.rank() == 5; ++i) co_await me.push(2, i);
    if (me.rank() == 0) (void)co_await me.pop<int>(5);
    co_await me.sync(0);
  });
  EXPECT_NE(words.find("VP 0 in pop from VP 5"), std::string::npos) << words;
  EXPECT_NE(words.find("VP 5 in push to VP 2"), std::string::npos) << words;
  EXPECT_NE(words.find("VP 1 in sync(0)"), std::string::npos) << words;
}

TEST_P(channels_of_ranks, go_on_where_room_comes_late_and_little_by_little) {
  // The consumer takes a few values each time, far fewer than are credited at once.
  EXPECT_EQ(play(machine_.on(0).threads(),
                 [](vp& me) -> task<> {
                   const std::size_t last = me.size() - 1;
                   for (int round = 0; round < 40 && last != 0; ++round) {
                     if (me.rank() == 0) {
                       for (int i = 0; i < holds + 3; ++i) co_await me.push(last, i);
                       (void)co_await me.pop<int>(last);
                     } else if (me.rank() == last) {
                       for (int i = 0; i < 3; ++i) (void)co_await me.pop<int>(0);
                       co_await me.push(0, round);
                       for (int i = 3; i < holds + 3; ++i) {
                         const int got = co_await me.pop<int>(0);
                         EXPECT_EQ(got, i);
                       }
                     }
                   }
                 }),
            "");
}

INSTANTIATE_TEST_SUITE_P(of_workers, channels_of_ranks,
                         testing::Values(std::vector<unsigned>{2}, std::vector<unsigned>{1, 1},
                                         std::vector<unsigned>{3, 2},
                                         std::vector<unsigned>{1, 2, 1},
                                         std::vector<unsigned>(5, 1)),
                         name_of_workers);

TEST(channels_of_two_ranks, send_at_most_one_message_for_each_value_and_few_credits) {
  machine_of_ranks machine({1, 1});
  const std::size_t before[] = {machine.link(0).posted, machine.link(1).posted};
  constexpr std::size_t n = 1000;
  EXPECT_EQ(words_of(machine.run(2,
                                 [](vp& me) -> task<> {
                                   for (std::size_t i = 0; i < n; ++i) {
                                     if (me.rank() == 0)
                                       co_await me.push(1, i);
                                     else
                                       (void)co_await me.pop<std::size_t>(0);
                                   }
                                 })),
            "");
  EXPECT_LE(machine.link(0).posted - before[0], n + 1);  // and that it has left the cluster
  EXPECT_LE(machine.link(1).posted - before[1], n / 4);
}

TEST(channels_of_two_ranks, need_no_credits_of_their_own_in_turns) {
  machine_of_ranks machine({1, 1});
  const std::size_t before = machine.link(0).posted;
  constexpr std::size_t n = 1000;
  const auto all = machine.run(2, [](vp& me) -> task<> {
    for (std::size_t i = 0; i < n; ++i) {
      if (me.rank() == 0) co_await me.push(1, i);
      (void)co_await me.pop<std::size_t>(1 - me.rank());
      if (me.rank() == 1) co_await me.push(0, i);
    }
  });
  EXPECT_EQ(words_of(all), "");
  EXPECT_LE(machine.link(0).posted - before, n + n / 8 + 2);
}

}  // namespace channels_test
