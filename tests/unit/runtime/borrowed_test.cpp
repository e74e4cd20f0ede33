// SPDX-License-Identifier: Apache-2.0
// Machines whose workers are threads of the application.
#include <atomic>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

#include "host/binding.hpp"
#include "in_child.hpp"
#include "machines.hpp"
#include "threads_alive.hpp"

namespace borrowed_test {

using pleat::machine, pleat::task, pleat::vp;

/// Threads that join a machine until its gathering ends.
class team {
 public:
  team(machine& on, std::size_t size) : took_part(size) {
    for (std::size_t i = 0; i < size; ++i)
      threads_.emplace_back([this, &on, i] { took_part[i] = on.join(); });
  }
  ~team() { join(); }
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  void join() {
    for (std::thread& one : threads_) one.join();
    threads_.clear();
  }
  /// [thread]: in how many runs, once joined.
  std::vector<std::size_t> took_part;

 private:
  std::vector<std::thread> threads_;
};

void await(const machine& on, unsigned threads) {
  while (on.threads() < threads) std::this_thread::yield();
}

/// A machine with an open gathering, to which helpers have come.
struct gathered {
  machine m;
  std::optional<machine::gathering> open;
  team helpers;

  gathered(unsigned processors, std::size_t others)
      : m({.processors = processors, .workers = pleat::workers::borrowed}),
        open(std::in_place, m),
        helpers(m, others) {
    await(m, 1 + static_cast<unsigned>(others));
  }
  ~gathered() { end(); }
  gathered(const gathered&) = delete;
  gathered& operator=(const gathered&) = delete;
  void end() {
    open.reset();
    helpers.join();
  }
};

using borrowing = machines;

TEST_F(borrowing, the_caller_alone_suffices) {
  // Threads of tests before this one may still be listed: what counts is that there are no more.
  const auto before = threads_alive();
  machine m({.workers = borrowed});
  EXPECT_LE(threads_left(before), before) << "no thread is made";
  EXPECT_EQ(m.threads(), 1u);
  EXPECT_EQ(m.default_vps(), 1u);
  for (const std::size_t v : {1, 2, 17, 1000}) EXPECT_TRUE(works(m, v));
  const machine::gathering open(m);
  for (const std::size_t v : {1, 2, 17, 1000}) EXPECT_TRUE(works(m, v)) << "nobody came";
  EXPECT_LE(threads_left(before), before);
}

TEST_F(borrowing, runs_fold_onto_whoever_came) {
  machine m({.processors = 4, .workers = borrowed});
  EXPECT_EQ(m.processors(), 4u);
  for (const unsigned others : {0u, 1u, 2u, 3u}) {
    std::optional<machine::gathering> open(std::in_place, m);
    team helpers(m, others);
    await(m, 1 + others);
    const pleat::run_report report = m.run(64, [](vp& me) -> task<> { co_await me.sync(0); });
    EXPECT_EQ(report.processors, 1 + others);
    for (const std::size_t v : {1, 2, 3, 7, 64}) EXPECT_TRUE(works(m, v));
    open.reset();
    helpers.join();
    EXPECT_EQ(m.threads(), 1u) << "they have left";
    if (others > 0) {
      EXPECT_EQ(helpers.took_part[0] > 0, true);
    }
    EXPECT_TRUE(works(m, 9));
  }
}

TEST_F(borrowing, whoever_comes_later_takes_part_from_the_next_run_on) {
  gathered all(3, 0);
  machine& m = all.m;
  EXPECT_TRUE(works(m, 8));
  team first(m, 1);
  await(m, 2);
  EXPECT_TRUE(works(m, 8));
  team second(m, 1);
  await(m, 3);
  EXPECT_TRUE(works(m, 8));
  all.end();
  first.join();
  second.join();
  EXPECT_EQ(first.took_part[0], 2u);
  EXPECT_EQ(second.took_part[0], 1u);
}

TEST_F(borrowing, more_threads_than_processors_return_at_once) {
  gathered all(2, 1);
  team too_many(all.m, 3);
  too_many.join();
  EXPECT_EQ(too_many.took_part, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_TRUE(works(all.m, 5));
}

TEST_F(borrowing, whoever_comes_for_a_gathering_that_has_ended_does_not_stay_for_another) {
  machine m({.processors = 3, .workers = borrowed});
  std::optional<machine::gathering> open(std::in_place, m);
  const auto number = open->number();
  std::size_t late = 1;
  std::thread([&] { EXPECT_EQ(m.join(number + 1), 0u) << "none has that number yet"; }).join();
  open.reset();
  std::thread([&] { late = m.join(number); }).join();
  EXPECT_EQ(late, 0u);
  open.emplace(m);
  EXPECT_NE(open->number(), number);
  std::thread([&] { late = m.join(number); }).join();
  EXPECT_EQ(late, 0u) << "another gathering's";
  std::thread helper([&] { late = m.join(open->number()); });
  await(m, 2);
  EXPECT_TRUE(works(m, 6));
  open.reset();
  helper.join();
  EXPECT_EQ(late, 1u);
}

TEST_F(borrowing, nobody_is_moved_or_bound) {
  const std::vector<unsigned> all = pleat::detail::affinity::current().pus();
  machine m({.processors = 2, .workers = borrowed});
  std::optional<machine::gathering> open(std::in_place, m);
  std::vector<unsigned> helper_before{all.back()}, helper_after, inside;
  std::thread helper([&] {
    pleat::detail::affinity::only(all.back()).apply();
    m.join();
    helper_after = pleat::detail::affinity::current().pus();
  });
  await(m, 2);
  m.run(2, [&](vp& me) -> task<> {
    if (me.rank() == 1) inside = pleat::detail::affinity::current().pus();
    co_await me.sync(0);
  });
  open.reset();
  helper.join();
  EXPECT_EQ(inside, helper_before);
  EXPECT_EQ(helper_after, helper_before);
  EXPECT_EQ(pleat::detail::affinity::current().pus(), all);
}

TEST_F(borrowing, failures_leave_everybody_where_they_were) {
  gathered all(3, 2);
  machine& m = all.m;
  for (std::size_t bad = 0; bad < 9; ++bad) {
    EXPECT_THROW(m.run(9,
                       [&](vp& me) -> task<> {
                         if (me.rank() == bad) throw std::runtime_error("stop");
                         co_await me.sync(0);
                       }),
                 pleat::vp_failed);
    EXPECT_THROW(m.run(9,
                       [&](vp& me) -> task<> {
                         if (me.rank() == bad) co_await me.pop<int>((bad + 1) % 9);
                         co_await me.sync(0);
                       }),
                 pleat::deadlock);
    EXPECT_TRUE(works(m, 9));
  }
}

TEST_F(borrowing, gatherings_follow_each_other_with_teams_of_any_size) {
  machine m({.processors = 4, .workers = borrowed});
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<std::size_t>(round % 5);
    std::optional<machine::gathering> open(std::in_place, m);
    team helpers(m, size);  // who may come before, between or behind the runs
    for (int run = 0; run < 3; ++run) EXPECT_TRUE(works(m, 1 + (round + run) % 11));
    open.reset();
  }
}

TEST_F(borrowing, several_threads_run_while_others_help) {
  gathered all(3, 2);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) wrong += !works(all.m, 6);
    });
  for (std::thread& one : callers) one.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(borrowing, is_refused_where_somebody_would_wait_for_himself) {
  machine m({.processors = 2, .workers = borrowed});
  {
    const machine::gathering open(m);
    EXPECT_THROW(m.join(), pleat::usage_error);
    EXPECT_THROW(machine::gathering second(m), pleat::usage_error);
  }
  {
    const machine::turn mine(m);
    EXPECT_THROW(m.join(), pleat::usage_error);
  }
  try {
    m.run(1, [&](vp&) -> task<> {
      m.join();
      co_return;
    });
    FAIL() << "join inside a run";
  } catch (const pleat::vp_failed& e) {
    EXPECT_THROW(e.rethrow_cause(), pleat::usage_error);
  }
  EXPECT_TRUE(works(m, 4));
}

TEST_F(borrowing, by_a_thread_that_a_helper_joins_is_refused) {
  gathered all(2, 1);
  bool refused = false;
  all.m.run(2, [&](vp& me) -> task<> {
    if (me.rank() == 1) {
      std::thread([&] {
        try {
          works(all.m, 2);
        } catch (const pleat::usage_error&) {
          refused = true;
        }
      }).join();
    }
    co_return;
  });
  all.end();
  EXPECT_TRUE(refused);
}

TEST_F(borrowing, is_refused_by_machines_that_own_their_threads) {
  machine m({.processors = 2});
  EXPECT_THROW(m.join(), pleat::usage_error);
  EXPECT_THROW(machine::gathering open(m), pleat::usage_error);
  EXPECT_TRUE(works(m, 4));
}

TEST_F(borrowing, places_nobody) {
  EXPECT_THROW(machine({.place = pleat::parse_placement("spread"), .workers = borrowed}),
               pleat::usage_error);
  const variable place("PLEAT_PLACE", "list:0"), pin("PLEAT_PIN", "1");
  machine m({.workers = borrowed});  // the variables are for machines that own their threads
  EXPECT_TRUE(works(m, 4));
}

TEST_F(borrowing, is_refused_in_a_forked_child) {
  gathered all(2, 1);
  const int code = in_child([&] {
    try {
      all.m.join();
    } catch (const pleat::usage_error&) {
      all.open.reset();  // returns
      return 42;
    }
    return 1;
  });
  EXPECT_EQ(code, 42);
  EXPECT_TRUE(works(all.m, 4)) << "the parent's goes on";
}

TEST_F(borrowing, threads_may_be_more_than_processors_of_the_machine) {
  const unsigned many = 2 * pleat::topology::host().pus() + 1;
  gathered all(many, many - 1);
  EXPECT_TRUE(all.m.oversubscribed());
  EXPECT_EQ(all.m.waiting(), pleat::wait_policy::park);
  for (const std::size_t v : {1, 2, 3, 64, 200}) EXPECT_TRUE(works(all.m, v));
}

}  // namespace borrowed_test
