// SPDX-License-Identifier: Apache-2.0
// Collective operations among virtual processors of several ranks; random programs of them are
// those of collective_random_test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/sanitizer.hpp"
#include "collective_player.hpp"
#include "collective_script.hpp"
#include "faults/watchdog.hpp"
#include "rank_threads.hpp"

namespace collective_ranks_test {

using namespace model;

class collectives_of_ranks : public testing::TestWithParam<std::vector<unsigned>> {
 protected:
  machine_of_ranks loose_{GetParam(), {.strict = false}};
  machine_of_ranks strict_{GetParam(), {.strict = true}};
  faults::watchdog dog_;
};

TEST_P(collectives_of_ranks,
       in_which_one_vp_has_another_schedule_or_size_of_none_end_with_an_error) {
  using enum pleat::collective_schedule;
  dog_.watch("another schedule, another size", 0);
  const auto words = [](machine_of_ranks& machine, std::size_t size, auto schedule) {
    return words_of(machine.run(8, [&](vp& me) -> task<> {
      std::vector<word> x(me.rank() == 7 ? size : 0);
      const pleat::collective_options options{.schedule = me.rank() == 7 ? schedule : binomial};
      co_await broadcast(me, x, options);
    }));
  };
  for (machine_of_ranks* const machine : {&loose_, &strict_}) {
    EXPECT_TRUE(names_an_operation(words(*machine, 1, binomial)));
    if (machine == &loose_ && GetParam().size() == 1) continue;  // has no messages to schedule
    EXPECT_TRUE(names_an_operation(words(*machine, 0, negabinary)));
  }
}

struct alignas(256) over_aligned {
  std::uint64_t value;
  friend over_aligned operator+(const over_aligned& a, const over_aligned& b) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&a) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&b) % 256, 0u);
    return {a.value + b.value};
  }
};

TEST_P(collectives_of_ranks, combine_types_where_they_are_aligned) {
  dog_.watch("types aligned to more than a cache line", 0);
  for (const std::size_t v : {2, 5, 18}) {
    for (const std::size_t blocks : {0, 2}) {
      const auto program = [&](vp& me) -> task<> {
        std::vector<over_aligned> x(9), sum(9), all(9 * me.size());
        for (std::size_t i = 0; i < 9; ++i) x[i].value = me.rank() + i;
        const std::plus<> add;
        const std::uint64_t ranks = v * (v - 1) / 2;
        co_await all_reduce(me, x, sum, add, {.blocks = blocks, .commutative = true});
        EXPECT_EQ(sum[8].value, ranks + 8 * v);
        co_await reduce(me, x, sum, add, {.root = v - 1, .blocks = blocks, .commutative = true});
        co_await scan(me, x, sum, add);
        EXPECT_EQ(sum[0].value, me.rank() * (me.rank() + 1) / 2);
        co_await reduce_scatter(me, all, sum, add, {.blocks = blocks, .commutative = true});
        EXPECT_EQ(sum[3].value, 0u);
        const pleat::collective_options down_trees{
            .schedule = pleat::collective_schedule::negabinary,
            .groups = {2, 1},
            .commutative = true};
        co_await all_reduce(me, x, sum, add, down_trees);
        EXPECT_EQ(sum[8].value, ranks + 8 * v);
      };
      EXPECT_EQ(words_of(loose_.run(v, program)), "");
    }
  }
}

TEST_P(collectives_of_ranks, that_one_vp_leaves_out_are_found_at_the_end_of_the_run) {
  const std::size_t v = std::max<std::size_t>(2, loose_.on(0).threads());
  for (int round = 0; round < 5; ++round) {
    dog_.watch("operations left out", static_cast<std::size_t>(round));
    const std::string words = words_of(loose_.run(v, [&](vp& me) -> task<> {
      long x = 1;
      if (me.rank() + 1 == me.size()) co_return;
      x = co_await broadcast(me, x);
      EXPECT_EQ(x, 1);
    }));
    // Where the last one has others beside it, these wait for it.
    const std::string last = "VP " + std::to_string(v - 1);
    const bool sent = words.find("broadcast: what VP ") != words.npos &&
                      words.find("sent " + last + " was never taken") != words.npos;
    const bool awaited =
        words.find("broadcast") != words.npos && words.find("deadlock") != words.npos;
    EXPECT_TRUE(sent || awaited) << words;
    EXPECT_EQ(words_of(loose_.run(v,
                                  [](vp& me) -> task<> {
                                    const long sum = co_await all_reduce(me, 1L, std::plus<>{});
                                    EXPECT_EQ(sum, static_cast<long>(me.size()));
                                  })),
              "");
  }
}

TEST_P(collectives_of_ranks, end_with_the_exception_of_an_operator_or_of_who_takes_no_part) {
  for (const std::size_t v : {2, 7, 18}) {
    dog_.watch("operators that throw", v);
    const std::string of_operator = words_of(loose_.run(v, [&](vp& me) -> task<> {
      std::vector<long> x(3000, 1), y(3000);
      co_await all_reduce(me, x, y,
                          [](long a, long b) {
                            if (a + b > 1) throw std::runtime_error("as written");
                            return a + b;
                          },
                          {.commutative = false});
    }));
    EXPECT_NE(of_operator.find("as written"), of_operator.npos) << of_operator;
    const std::string of_other = words_of(loose_.run(v, [&](vp& me) -> task<> {
      std::vector<long> x(3000, 1), y(3000 * me.size());
      if (me.rank() == v / 2) throw std::runtime_error("no part");
      co_await all_gather(me, x, y);
    }));
    EXPECT_NE(of_other.find("no part"), of_other.npos) << of_other;
  }
}

TEST_P(collectives_of_ranks, send_what_all_get_to_each_process_once) {
  dog_.watch("bytes between processes", 0);
  const std::size_t processes = loose_.ranks(), v = 5 * loose_.on(0).threads(), n = 30'000;
  const auto bytes_of = [&](const auto& program) {
    std::size_t before = 0, behind = 0;
    for (std::size_t r = 0; r < processes; ++r) before += loose_.link(r).bytes_posted;
    EXPECT_EQ(words_of(loose_.run(v, program)), "");
    for (std::size_t r = 0; r < processes; ++r) behind += loose_.link(r).bytes_posted;
    return behind - before;
  };
  const std::size_t slack = 4096 * processes * processes;  // fronts, and what a run begins with
  EXPECT_LE(bytes_of([&](vp& me) -> task<> {
              std::vector<char> x(n, me.rank() == v / 2 ? 'x' : ' ');
              co_await broadcast(me, x, {.root = v / 2});
              EXPECT_EQ(x, std::vector<char>(n, 'x'));
            }),
            (processes - 1) * n + slack);
  const std::size_t each = n / v;
  EXPECT_LE(bytes_of([&](vp& me) -> task<> {
              std::vector<char> mine(each, static_cast<char>('a' + me.rank() % 20)), all(v * each);
              co_await all_gather(me, mine, all);
              for (std::size_t i = 0; i < all.size(); ++i)
                EXPECT_EQ(all[i], static_cast<char>('a' + i / each % 20));
            }),
            (processes - 1) * v * each + slack);
}

INSTANTIATE_TEST_SUITE_P(of_workers, collectives_of_ranks,
                         testing::Values(std::vector<unsigned>{2}, std::vector<unsigned>{1, 1},
                                         std::vector<unsigned>{2, 1},
                                         std::vector<unsigned>{1, 1, 1},
                                         std::vector<unsigned>{2, 3, 1, 2},
                                         std::vector<unsigned>(9, 1)),
                         name_of_workers);

}  // namespace collective_ranks_test
