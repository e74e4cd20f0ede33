// SPDX-License-Identifier: Apache-2.0
// Whatever goes wrong in a program, run throws its cause, everything is unwound, and the machine
// is as good as before. Never a hang: CTest ends a test after a minute.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "proof_of_life.hpp"

namespace {

using model::local;
using pleat::task;
using pleat::vp;

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

testing::AssertionResult names(const std::string& what, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (what.find(part) == std::string::npos)
      return testing::AssertionFailure() << '"' << part << "\" is missing in: " << what;
  }
  if (what.find('\n') != std::string::npos)
    return testing::AssertionFailure() << "more than one line: " << what;
  return testing::AssertionSuccess();
}

std::string text(std::size_t n) { return std::to_string(n); }

// Workers that share a processor and do not sleep: every step may take them a time slice.
bool busy(const pleat::machine& machine) {
  return machine.oversubscribed() && machine.waiting() != pleat::wait_policy::park;
}

class failures : public testing::TestWithParam<unsigned> {
 protected:
  // Calls check(machine, v) for every way to wait and several v ≥ least; after each the machine
  // must be able to run a good program, and no local of the failed one may be alive.
  template <class Check> void everywhere(std::size_t least, bool strict, Check check) {
    const std::size_t p = GetParam();
    for (const pleat::wait_policy policy : model::all_policies) {
      SCOPED_TRACE(std::string("waiting: ") + model::name_of(policy));
      pleat::machine machine({.processors = GetParam(), .wait = policy, .strict = strict});
      std::vector<std::size_t> sizes{1, 2, 4, 7, p + 1, 4 * p, 37};
      if (busy(machine)) sizes = {std::max(least, p + 1)};
      for (const std::size_t v : sizes) {
        if (v < least) continue;
        SCOPED_TRACE("M(" + text(v) + ")");
        alive = 0;
        check(machine, v);
        EXPECT_EQ(alive, 0) << "locals that nobody destroyed";
        EXPECT_EQ(model::complaint_about(machine, v), "");
        if (HasFatalFailure()) return;
      }
    }
  }

  // Runs `program` and returns the Error it must throw.
  template <class Error, class Program>
  Error failure(pleat::machine& machine, std::size_t v, Program program) {
    try {
      machine.run(v, program);
    } catch (const Error& e) {
      return e;
    } catch (const std::exception& e) {
      throw std::logic_error(std::string("another error: ") + e.what());
    }
    throw std::logic_error("the run should have failed");
  }

  std::atomic<long> alive{0};
};

// First, middle and last; where workers that do not sleep share processors, and all is slow, one.
std::vector<std::size_t> some_ranks(const pleat::machine& machine, std::size_t v) {
  if (busy(machine)) return {v / 2};
  return {0, v / 2, v - 1};
}

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
      EXPECT_THROW(e.rethrow_cause(), broken);
      EXPECT_TRUE(names(e.what(), {"VP " + text(bad) + " ", "M(" + text(v) + ")", "it broke",
                                   "sync(" + text(pleat::label_count(v) - 1) + ")"}));
    }
  });
}

TEST_P(failures, before_the_first_barrier_say_so) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t bad : some_ranks(machine, v)) {
      const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        if (me.rank() == bad) throw broken("at once");
        co_await me.sync(0);
      });
      EXPECT_EQ(e.rank, bad);
      EXPECT_TRUE(names(e.what(), {"before its first sync", "at once"}));
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
      EXPECT_THROW(e.rethrow_cause(), broken);
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

TEST_P(failures, in_nested_tasks_unwind_all_levels_of_all_virtual_processors) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t bad : some_ranks(machine, v)) {
      const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        const int levels = co_await nested(me, 5, bad, alive);
        if (levels != 6) throw std::logic_error("levels");
      });
      EXPECT_EQ(e.rank, bad);
      EXPECT_TRUE(names(e.what(), {"deep down"}));
    }
  });
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
    EXPECT_THROW(e.rethrow_cause(), broken);
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
    }
    EXPECT_TRUE(names(e.what(), {"VP " + text(v - 1)}));
  });
}

TEST_P(failures, of_several_at_once_are_reported_as_one_of_them) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::vp_failed>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
      throw broken("VP " + std::to_string(me.rank()) + " too");
    });
    EXPECT_LT(e.rank, v);
    EXPECT_TRUE(names(e.what(), {"VP " + text(e.rank) + " too"}));
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
    EXPECT_EQ(caught, v);
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

TEST_P(failures, by_mismatched_labels_name_both_ranks_and_labels) {
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

TEST_P(failures, by_mismatched_labels_far_apart_are_found_too) {
  everywhere(4, false, [&](pleat::machine& machine, std::size_t v) {
    // The halves disagree: one waits for all, the other goes on among itself once too often.
    const pleat::rank_range lower = pleat::cluster_of(v, 0, 1);
    const auto e = failure<pleat::label_mismatch>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      const bool odd_one = me.rank() + 1 == lower.last;
      co_await me.sync(1);
      if (!odd_one) co_await me.sync(1);
      co_await me.sync(0);
    });
    EXPECT_EQ(e.label, 1u);
    EXPECT_EQ(e.other_label, 0u);
    EXPECT_TRUE(lower.contains(e.rank));
    EXPECT_EQ(e.other_rank, lower.last - 1);
  });
}

TEST_P(failures, by_a_label_that_does_not_exist_are_usage_errors_of_that_processor) {
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

TEST_P(failures, by_a_rank_that_does_not_exist_are_usage_errors_whatever_is_done_with_it) {
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

TEST_P(failures, by_a_pop_without_a_push_are_deadlocks_that_name_it) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    for (const std::size_t waiting : some_ranks(machine, v)) {
      const std::size_t from = (waiting + v / 2) % v;
      const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
        const local l(alive);
        co_await me.sync(0);
        if (me.rank() == waiting) co_await me.pop<int>(from);
      });
      EXPECT_TRUE(names(e.what(), {"VP " + text(waiting) + " waits to pop from VP " + text(from)}));
    }
  });
}

TEST_P(failures, by_a_channel_that_nobody_empties_are_deadlocks_that_name_it) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) {
        for (int i = 0; i < 100000; ++i) co_await me.push(me.size() - 1, i);
      }
    });
    EXPECT_TRUE(names(e.what(), {"VP 0 waits to push to VP " + text(v - 1)}));
  });
}

TEST_P(failures, by_a_cycle_of_pops_are_deadlocks) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      const std::size_t next = (me.rank() + 1) % me.size();
      const int x = co_await me.pop<int>(next);
      co_await me.push((me.rank() + me.size() - 1) % me.size(), x);
    });
    EXPECT_TRUE(names(e.what(), {"deadlock", "waits to pop from VP"}));
  });
}

TEST_P(failures, by_a_barrier_that_waits_for_a_pop_are_deadlocks_that_name_both) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    const auto e = failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      if (me.rank() == 0) co_await me.pop<int>(1);
      co_await me.sync(0);
      if (me.rank() == 1) co_await me.push(0, 1);
    });
    EXPECT_TRUE(names(e.what(), {"VP 0 waits to pop from VP 1", "waits at sync(0)"}));
  });
}

TEST_P(failures, by_deadlock_are_found_after_long_work_too) {
  everywhere(2, false, [&](pleat::machine& machine, std::size_t v) {
    (void)failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      const std::size_t next = (me.rank() + 1) % me.size();
      const std::size_t before = (me.rank() + me.size() - 1) % me.size();
      for (int i = 0; i < 20; ++i) {
        co_await me.push(next, i);
        const int got = co_await me.pop<int>(before);
        if (got != i) throw broken("order");
        if (i % 10 == 0) co_await me.sync(0);
      }
      if (me.rank() == 0) co_await me.pop<int>(before);
      co_await me.sync(0);
    });
  });
}

TEST_P(failures, of_the_runtimes_kind_that_a_program_throws_stay_what_they_are) {
  everywhere(1, false, [&](pleat::machine& machine, std::size_t v) {
    (void)failure<pleat::deadlock>(machine, v, [&](vp& me) -> task<> {
      const local l(alive);
      co_await me.sync(0);
      if (me.rank() == 0) throw pleat::deadlock("rethrown by a library");
      co_await me.sync(0);
    });
  });
}

TEST_P(failures, by_messages_that_leave_the_cluster_are_found_in_strict_mode) {
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
    pleat::machine lenient({.processors = GetParam(), .strict = false});
    lenient.run(v, program);
  });
}

TEST_P(failures, by_messages_sent_before_a_wait_at_a_channel_are_found_in_strict_mode) {
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

TEST_P(failures, by_writing_to_lent_memory_are_found_in_strict_mode) {
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

TEST_P(failures, by_writing_are_none_outside_the_view_and_after_the_loan) {
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

TEST_P(failures, follow_each_other_without_end) {
  pleat::machine machine({.processors = GetParam()});
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

INSTANTIATE_TEST_SUITE_P(on_workers, failures, testing::Values(1u, 2u, 3u, 5u, 8u, 17u),
                         [](const auto& p) { return std::to_string(p.param); });

}  // namespace
