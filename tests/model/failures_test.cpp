// SPDX-License-Identifier: Apache-2.0
// Programs that throw.
#include "failures.hpp"

#include <atomic>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace failures_test {

using model::broken, model::busy, model::local, model::names, model::some_ranks, model::text;
using pleat::task, pleat::vp;

using failures = model::failures;

TEST_P(failures, of_one_virtual_processor_end_the_run_with_its_rank_and_cause) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t bad : some_ranks(machine, v)) {
      const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        co_await me.sync(0);
        co_await me.sync(me.labels() - 1);
        if (me.rank() == bad) throw broken("it broke");
        co_await me.sync(0);
      });
      EXPECT_EQ(e.rank, bad);
      EXPECT_TRUE(model::is_caused_by<broken>(e, machine, v));
      EXPECT_TRUE(names(e.what(), {"VP " + text(bad) + " ", "M(" + text(v) + ")", "it broke",
                                   "sync(" + text(pleat::label_count(v) - 1) + ")"}));
    }
  });
}

TEST_P(failures, of_a_program_that_makes_no_task_are_those_of_the_virtual_processor) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    const auto body = [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
    };
    for (const std::size_t bad : some_ranks(machine, v)) {
      const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) {
        if (me.rank() == bad) throw broken("no task");
        return body(me);
      });
      EXPECT_EQ(e.rank, bad);
      EXPECT_TRUE(model::is_caused_by<broken>(e, machine, v));
    }
  });
}

task<int> nested(vp& me, unsigned depth, std::size_t bad, std::atomic<long>& alive) {
  const local l(alive);
  if (depth == 0) {
    co_await me.sync(0);
    if (me.rank() == bad) throw broken("deep down");
    co_await me.sync(0);
    co_return 1;
  }
  const int below = co_await nested(me, depth - 1, bad, alive);
  co_return below + 1;
}

TEST_P(failures, reach_virtual_processors_that_wait_at_barriers_and_channels) {
  everywhere(4, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      const std::vector<long> keep(100, 1);
      if (me.rank() == 0) {
        // Everybody else is waiting, or will be.
        for (int i = 0; i < 100; ++i) co_await me.push(3, i);
        throw broken("while others wait");
      }
      if (me.rank() == 1) co_await me.pop<int>(2);  // never comes
      if (me.rank() == 2) {
        for (int i = 0; i < 1000; ++i) co_await me.push(1 + me.size() - 2, i);  // nobody pops
      }
      if (me.rank() == 3) {
        for (int i = 0; i < 100; ++i) {
          const int got = co_await me.pop<int>(0);
          if (got != i) throw std::logic_error("out of order");
        }
      }
      co_await me.sync(0);
    });
    EXPECT_EQ(e.rank, 0u);
    EXPECT_TRUE(model::is_caused_by<broken>(e, machine, v));
  });
}

TEST_P(failures, unwind_nobody_while_others_still_read_what_it_lent) {
  struct lender {
    std::atomic<bool>& gone;
    std::vector<long> values = std::vector<long>(1000, 7);
    ~lender() { gone = true; }
  };
  everywhere(3, false, [&](pleat::machine& machine, std::size_t v) {
    std::atomic<bool> gone{false}, lost{false};
    const auto lending = [&](vp& me) -> task<> {
      lender mine{gone};
      me.lend(me.size() - 1, std::span<const long>(mine.values));
      co_await me.sync(0);
      co_await me.sync(0);
    };
    const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) co_await lending(me);
      co_await me.sync(0);
      if (me.rank() == 1) throw broken("while the last one reads");
      if (me.rank() == me.size() - 1) {
        const auto m = me.receive();
        const auto view = m->view<const long>();
        for (std::size_t i = 0; i < 100; ++i) {
          if (gone || view(0, i) != 7) lost = true;
          std::this_thread::yield();  // the others' chance to do it wrong
        }
      }
      co_await me.sync(0);
    });
    EXPECT_EQ(e.rank, 1u);
    EXPECT_FALSE(lost);
  });
}

TEST_P(failures, may_be_of_any_type) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
      if (me.rank() == me.size() - 1) throw 42;
      co_await me.sync(0);
    });
    EXPECT_EQ(e.rank, v - 1);
    try {
      e.rethrow_cause();
    } catch (int x) {
      EXPECT_EQ(x, 42);
    } catch (const std::runtime_error&) {  // another process has told what it could
      EXPECT_FALSE(machine.vps_here(v).contains(v - 1));
    }
    EXPECT_TRUE(names(e.what(), {"VP " + text(v - 1)}));
  });
}

TEST_P(failures, that_the_program_catches_are_its_own) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    std::atomic<std::size_t> caught{0};
    machine.run(v, [&](vp& me) -> task<> {
      const local l(alive);
      try {
        const int never = co_await nested(me, 2, me.rank(), alive);
        (void)never;
      } catch (const broken&) {
        ++caught;
      }
      co_await me.sync(0);
    });
    EXPECT_EQ(caught, machine.vps_here(v).size());
  });
}

TEST_P(failures, leave_no_message_to_the_next_run) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    (void)failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      const std::vector<long> large(500, 7);
      const std::size_t other = (me.rank() + me.size() / 2) % me.size();
      me.send(other, 1L);
      me.send(other, std::span<const long>(large));
      co_await me.sync(0);
      me.send(other, std::span<const long>(large));
      me.send(other, 2L);
      co_await me.sync(me.labels() - 1);
      if (me.rank() == 1) throw broken("with messages everywhere");
      me.send(other, 3L);
      co_await me.sync(0);
    });
  });
}

TEST_P(failures, follow_each_other_without_end) {
  pleat::machine machine(model::over_ranks({.processors = GetParam()}));
  for (std::size_t round = 0; round < 100; ++round) {
    const std::size_t v = 1 + round % 23;
    const std::size_t bad = round * 7 % v;
    const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      for (std::size_t step = 0; step < round % 5; ++step) co_await me.sync(0);
      if (me.rank() == bad) throw broken("again");
      co_await me.sync(0);
    });
    ASSERT_EQ(e.rank, bad);
    ASSERT_EQ(alive, 0);
  }
  EXPECT_EQ(model::complaint_about(machine, 23), "");
}

INSTANTIATE_TEST_SUITE_P(on_workers, failures, model::numbers_of_workers,
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace failures_test
