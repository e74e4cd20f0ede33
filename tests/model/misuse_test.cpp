// SPDX-License-Identifier: Apache-2.0
// Programs that break a rule of the model: labels, ranks, waiting for ever, messages, lent memory.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "failures.hpp"

namespace misuse_test {

using model::broken, model::busy, model::local, model::names, model::some_ranks, model::text;
using pleat::task, pleat::vp;

using misuse = model::failures;

TEST_P(misuse, by_mismatched_labels_name_both_ranks_and_labels) {
  everywhere(4, false, [&](pleat::machine& machine, std::size_t v) {
    const unsigned finest = pleat::label_count(v) - 1;
    const auto e = failure<pleat::label_mismatch>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
      co_await me.sync(me.rank() == 0 ? me.labels() - 1 : 0);
      co_await me.sync(0);
    });
    EXPECT_EQ(e.rank, 0u);
    EXPECT_EQ(e.label, finest);
    EXPECT_EQ(e.other_rank, 1u);
    EXPECT_EQ(e.other_label, 0u);
    EXPECT_TRUE(names(e.what(), {"VP 0 waits at sync(" + text(finest) + ")", "VP 1", "sync(0)"}));
  });
}

TEST_P(misuse, by_a_label_that_does_not_exist_are_usage_errors_of_that_processor) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const unsigned wrong : {pleat::label_count(v), 40u, 64u, 65u, 128u, 1000u, ~0u}) {
      if (busy(machine) && wrong > 64) break;
      const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        co_await me.sync(me.rank() == me.size() - 1 ? wrong : 0);
      });
      EXPECT_EQ(e.rank, v - 1);
      EXPECT_THROW(e.rethrow_cause(), pleat::usage_error);
      EXPECT_TRUE(names(e.what(), {"VP " + text(v - 1), "sync(", "labels go from 0 to "}));
    }
  });
}

TEST_P(misuse, by_a_rank_that_does_not_exist_are_usage_errors_whatever_is_done_with_it) {
  using act = std::function<void(vp&, std::size_t)>;
  static int memory[4];
  const act acts[] = {
      [](vp& me, std::size_t q) { me.send(q, 1); },
      [](vp& me, std::size_t q) { me.send(q, std::span<const int>(memory)); },
      [](vp& me, std::size_t q) { me.lend(q, std::span<int>(memory)); },
      [](vp& me, std::size_t q) { (void)me.push(q, 1); },
      [](vp& me, std::size_t q) { (void)me.pop<int>(q); },
  };
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const act& a : acts) {
      for (const std::size_t q : {v, v + 1, std::size_t{1} << 32, ~std::size_t{0}}) {
        if (busy(machine) && q != v) break;
        const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
          const local l(alive);
          if (me.rank() == 0) a(me, q);
          co_await me.sync(0);
        });
        EXPECT_EQ(e.rank, 0u);
        EXPECT_THROW(e.rethrow_cause(), pleat::usage_error);
        EXPECT_TRUE(names(e.what(), {"VP " + text(q), "M(" + text(v) + ")"}));
      }
    }
  });
}

TEST_P(misuse, by_a_pop_without_a_push_are_deadlocks_that_name_it) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t waiting : some_ranks(machine, v)) {
      const std::size_t from = (waiting + v / 2) % v;
      const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        co_await me.sync(0);
        if (me.rank() == waiting) co_await me.pop<int>(from);
      });
      EXPECT_TRUE(names(e.what(), {"VP " + text(waiting) + " in pop from VP " + text(from)}));
    }
  });
}

TEST_P(misuse, by_a_channel_that_nobody_empties_are_deadlocks_that_name_it) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) {
        for (int i = 0; i < 100000; ++i) co_await me.push(me.size() - 1, i);
      }
    });
    EXPECT_TRUE(names(e.what(), {"VP 0 in push to VP " + text(v - 1)}));
  });
}

TEST_P(misuse, by_a_barrier_that_waits_for_a_pop_are_deadlocks_that_name_both) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) co_await me.pop<int>(1);
      co_await me.sync(0);
      if (me.rank() == 1) co_await me.push(0, 1);
    });
    EXPECT_TRUE(names(e.what(), {"VP 0 in pop from VP 1", "in sync(0)"}));
  });
}

TEST_P(misuse, of_the_runtimes_kind_that_a_program_throws_stay_what_they_are) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    (void)failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
      if (me.rank() == 0) throw pleat::deadlock("rethrown by a library");
      co_await me.sync(0);
    });
  });
}

TEST_P(misuse, by_messages_that_leave_the_cluster_are_found_in_strict_mode) {
  everywhere(4, true, [&](pleat::machine& machine, std::size_t v) {
    const pleat::rank_range lower = pleat::cluster_of(v, 0, 1);
    const auto program = [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
      if (me.rank() == 0) {
        me.send(1, 1);
        me.send(lower.last, 1);  // in the other half
        me.send(1, 1);
      }
      co_await me.sync(1);
      co_await me.sync(0);
    };
    const auto e = failure<pleat::out_of_cluster>(machine, v, program);
    EXPECT_EQ(e.source, 0u);
    EXPECT_EQ(e.destination, lower.last);
    EXPECT_EQ(e.label, 1u);
    EXPECT_EQ(e.shared, 0u);
    EXPECT_TRUE(names(e.what(), {"VP 0", "VP " + text(lower.last), "sync(0)"}));
    pleat::machine lenient(model::over_ranks({.processors = GetParam(), .strict = false}));
    lenient.run(v, program);
  });
}

TEST_P(misuse, by_messages_sent_before_a_wait_at_a_channel_are_found_in_strict_mode) {
  everywhere(4, true, [&](pleat::machine& machine, std::size_t v) {
    const pleat::rank_range lower = pleat::cluster_of(v, 0, 1);
    const auto e = failure<pleat::out_of_cluster>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) {
        me.send(lower.last, 1);
        const int x = co_await me.pop<int>(1);
        (void)x;
      }
      if (me.rank() == 1) co_await me.push(0, 1);
      co_await me.sync(1);
      co_await me.sync(0);
    });
    EXPECT_EQ(e.source, 0u);
    EXPECT_EQ(e.destination, lower.last);
  });
}

TEST_P(misuse, by_writing_to_lent_memory_are_found_in_strict_mode) {
  everywhere(2, true, [&](pleat::machine& machine, std::size_t v) {
    for (const bool strided : {false, true}) {
      const auto e = failure<pleat::lent_memory_modified>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        std::vector<long> mine(64, 1);
        if (me.rank() == 0) {
          mine[8] = 2;  // before the loan begins: allowed
          const std::span<const long> whole(mine);
          if (strided)
            me.lend(1, pleat::strided_view<const long>(mine.data(), 8, 2, 8));
          else
            me.lend(1, whole);
          mine[9] = 3;
        }
        co_await me.sync(0);
        if (me.rank() == 0) mine[9] = 4;
        co_await me.sync(0);
      });
      EXPECT_EQ(e.owner, 0u);
      EXPECT_EQ(e.borrower, 1u);
      EXPECT_TRUE(names(e.what(), {"VP 0", "VP 1"}));
    }
  });
}

TEST_P(misuse, by_writing_are_none_outside_the_view_and_after_the_loan) {
  if (model::on_several_ranks()) GTEST_SKIP() << "lends memory to be written";
  everywhere(2, true, [&](pleat::machine& machine, std::size_t v) {
    machine.run(v, [&](vp& me) -> task<> {
      const local l(alive);
      std::vector<long> mine(64, 1), other(8, 1);
      if (me.rank() == 0) {
        me.lend(1, pleat::strided_view<const long>(mine.data(), 8, 2, 8));
        me.lend(1, std::span<long>(other));  // writable: not held to it
      }
      co_await me.sync(0);
      if (me.rank() == 0) {
        mine[2] = 5;  // between the rows
        other[0] = 5;
      }
      co_await me.sync(0);
      if (me.rank() == 0) mine[0] = 6;
      co_await me.sync(0);
    });
  });
}

INSTANTIATE_TEST_SUITE_P(on_workers, misuse, model::numbers_of_workers,
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace misuse_test
