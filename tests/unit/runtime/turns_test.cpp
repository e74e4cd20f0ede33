// SPDX-License-Identifier: Apache-2.0
// Threads that share a machine: whose turn it is, who is refused, and what a forked child may do.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "in_child.hpp"
#include "machines.hpp"
#include "unit/message_of.hpp"

namespace turns_test {

using pleat::machine, pleat::machine_options, pleat::task, pleat::vp;

using turns = machines;

void in_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back(body, t);
}

TEST_F(turns, of_threads_exclude_each_other_and_their_scratch_memory) {
  machine m({.processors = 2});
  std::atomic<int> failures = 0;
  in_threads(4, [&](int t) {
    for (int i = 0; i < 50; ++i) {
      const machine::turn mine(m, machine::use::scratch);
      const auto memory = m.scratch(4096 * (1 + static_cast<std::size_t>((t * 7 + i) % 50)));
      const auto mark = static_cast<std::byte>(t);
      memory.front() = memory.back() = mark;
      if (!works(m, 5) || memory.front() != mark || memory.back() != mark) ++failures;
    }
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(turns, are_had_once_more_by_whoever_has_one_but_not_the_scratch_memory) {
  machine m({.processors = 2});
  const machine::turn outer(m);
  {
    const machine::turn inner(m, machine::use::scratch);
    const machine::turn innermost(m);
    EXPECT_TRUE(works(m, 3));
    EXPECT_THROW(const machine::turn again(m, machine::use::scratch), pleat::usage_error);
    EXPECT_TRUE(works(m, 3));
  }
  const machine::turn again(m, machine::use::scratch);
}

TEST_F(turns, are_refused_inside_a_run) {
  machine m({.processors = 2});
  machine other({.processors = 1});
  std::atomic<int> refused = 0;
  m.run(4, [&](vp& me) -> task<> {
    try {
      const machine::turn mine(me.rank() % 2 == 0 ? m : other);
    } catch (const pleat::usage_error&) {
      ++refused;
    }
    co_return;
  });
  EXPECT_EQ(refused, 4);
}

TEST_F(turns, end_with_the_patience_of_the_machine) {
  using std::chrono::milliseconds;
  for (const milliseconds patience : {milliseconds(0), milliseconds(5), milliseconds(40)}) {
    machine m({.processors = 2, .patience = patience});
    std::latch held(1);
    std::latch refused(3);
    std::thread holder([&] {
      const machine::turn mine(m);
      held.count_down();
      refused.wait();
    });
    held.wait();
    in_threads(3, [&](int) {
      try {
        m.run(2, [](vp&) -> task<> { co_return; });
        ADD_FAILURE() << "ran in the turn of another thread";
      } catch (const pleat::environment_error& e) {
        EXPECT_NE(std::string(e.what()).find("patience"), std::string::npos) << e.what();
      }
      refused.count_down();
    });
    holder.join();
    EXPECT_TRUE(works(m, 4));
    in_threads(1, [&](int) { EXPECT_TRUE(works(m, 4)); });
  }
  EXPECT_THROW(machine({.patience = milliseconds(-1)}), pleat::usage_error);
}

TEST_F(turns, come_in_the_end_if_the_patience_is_without_end) {
  using std::chrono::milliseconds;
  for (const milliseconds patience : {milliseconds::max(), milliseconds(9'223'372'036'854)}) {
    machine m({.processors = 2, .patience = patience});
    std::latch held(1);
    std::thread holder([&] {
      const machine::turn mine(m);
      held.count_down();
      std::this_thread::sleep_for(milliseconds(60));  // longer than between two looks at the clock
    });
    held.wait();
    EXPECT_TRUE(works(m, 4));
    holder.join();
  }
}

TEST_F(turns, of_threads_that_come_and_give_up_leave_the_others_in_order) {
  machine m({.processors = 1, .patience = std::chrono::milliseconds(1)});
  std::atomic<int> ran = 0;
  std::atomic<int> gave_up = 0;
  in_threads(6, [&](int) {
    for (int i = 0; i < 100; ++i) {
      try {
        if (works(m, 16)) ++ran;
      } catch (const pleat::environment_error&) {
        ++gave_up;
      }
    }
  });
  EXPECT_EQ(ran + gave_up, 600);
  EXPECT_GT(ran, 0);
  EXPECT_TRUE(works(m, 4));
}

// The ways in which a virtual processor may start a thread and wait for its end.
const std::function<void(const std::function<void()>&)> ways_to_join[] = {
    [](const auto& body) { std::thread(body).join(); },
    [](const auto& body) { std::jthread{body}; },
    [](const auto& body) { std::async(std::launch::async, body).get(); },
};

// Words of `use` in a thread that the virtual processor `rank` of `on` joins.
std::string refusal(machine& on, std::size_t rank, std::size_t way,
                    const std::function<void()>& use) {
  std::string said;
  on.run(4, [&](vp& me) -> task<> {
    if (me.rank() == rank) ways_to_join[way]([&] { said = message_of<pleat::usage_error>(use); });
    co_await me.sync(0);
  });
  return said;
}

TEST_F(turns, of_a_thread_that_the_run_joins_are_refused) {
  // The machine may have any number of workers, and any of them may be the one that joins.
  for (unsigned processors = 1; processors <= 2; ++processors) {
    machine m({.processors = processors});
    for (std::size_t rank = 0; rank < 4; ++rank) {
      for (std::size_t way = 0; way < std::size(ways_to_join); ++way) {
        EXPECT_NE(refusal(m, rank, way, [&] { (void)works(m, 2); }).find("joins this thread"),
                  std::string::npos);
      }
    }
    EXPECT_TRUE(works(m, 8));
  }
  for (std::size_t way = 0; way < std::size(ways_to_join); ++way) {
    const pleat::default_machine on;
    EXPECT_NE(refusal(*on, way, way, [] { const pleat::default_machine mine; }).find("joins this"),
              std::string::npos);
  }
}

TEST_F(turns, of_a_thread_that_the_holder_of_a_turn_joins_are_refused) {
  machine m({.processors = 2});
  for (const auto& join : ways_to_join) {
    const machine::turn mine(m);
    std::string said;
    join([&] { said = message_of<pleat::usage_error>([&] { (void)works(m, 2); }); });
    EXPECT_NE(said.find("joins this thread"), std::string::npos) << said;
  }
}

TEST_F(turns, of_a_thread_that_somebody_else_joins_are_waited_for) {
  machine m({.processors = 2});
  std::latch asked(1);
  std::optional<machine::turn> mine(std::in_place, m);
  std::thread inner;
  std::thread outer([&] {
    inner = std::thread([&] {
      asked.count_down();
      EXPECT_TRUE(works(m, 4));
    });
    inner.join();  // not by the holder: it will give the machine back
  });
  asked.wait();
  EXPECT_TRUE(works(m, 1000));
  mine.reset();
  outer.join();
}

TEST_F(turns, may_be_held_while_memory_is_given_back_and_then_it_is_waited_for) {
  machine m({.processors = 2});
  std::atomic<bool> stop = false;
  std::jthread other([&] {
    while (!stop) m.release_memory();
  });
  for (int i = 0; i < 100; ++i) {
    const machine::turn mine(m, machine::use::scratch);
    const auto memory = m.scratch(100'000);
    memory.back() = std::byte{7};
    EXPECT_TRUE(works(m, 64));
    EXPECT_EQ(memory.back(), std::byte{7});
  }
  stop = true;
}

// Tells whether `use` is refused, in a child, because the machine is the parent's.
bool refused(const std::function<void()>& use) {
  return message_of<pleat::usage_error>(use).find("parent") != std::string::npos;
}

// Checks, in a child, a parent's machine `m` that may be held by any of the parent's threads.
int child_of(machine& m) {
  ::setenv("PLEAT_NUM_PROCESSORS", "1", 1);  // no sanitizer allows threads after fork
  if (!refused([&] { (void)works(m, 4); })) return 1;
  if (!refused([&] { const machine::turn mine(m, machine::use::scratch); })) return 2;
  m.release_memory();
  {
    const pleat::default_machine on;
    if (&*on == &m || !works(*on, 6)) return 3;
  }
  machine own({.processors = 1});
  return works(own, 8) ? 42 : 4;
}

TEST_F(turns, at_the_default_machine_do_not_follow_into_a_child) {
  auto on = std::make_unique<pleat::default_machine>();
  EXPECT_EQ(in_child([&] {
              machine& parents = **on;
              const int code = child_of(parents);
              on.reset();
              if (child_of(parents) != 42) return 5;
              return &*pleat::default_machine() == &parents ? 6 : code;
            }),
            42);
  EXPECT_TRUE(works(**on, 4));
  on.reset();
  EXPECT_TRUE(works(*pleat::default_machine(), 4));
}

// Wherever the other threads are: in a barrier, in an allocator, about to take a turn.
TEST_F(turns, of_other_threads_do_not_follow_into_a_child) {
  machine m({.processors = 2});
  std::atomic<bool> stop = false;
  std::latch begun(2);
  std::jthread runs([&] {
    begun.count_down();
    while (!stop) {
      EXPECT_TRUE(works(m, 100));
      m.release_memory();
    }
  });
  std::jthread has_the_default_one([&] {
    const pleat::default_machine on;
    begun.count_down();
    while (!stop) EXPECT_TRUE(works(*on, 100));
  });
  begun.wait();
  for (int i = 0; i < 20 && !HasFailure(); ++i)
    EXPECT_EQ(in_child([&] { return child_of(m); }), 42);
  stop = true;
}

// Machines that the parent's other threads hold stay held; the child destroys one all the same.
TEST_F(turns, end_with_a_machine_of_the_parent_in_a_child) {
  auto m = std::make_unique<machine>(machine_options{.processors = 2});
  EXPECT_TRUE(works(*m, 100));
  std::atomic<bool> stop = false;
  std::jthread runs([&] {
    while (!stop) (void)works(*m, 100);
  });
  for (int i = 0; i < 10 && !HasFailure(); ++i) {
    EXPECT_EQ(in_child([&] {
                m.reset();
                ::setenv("PLEAT_NUM_PROCESSORS", "1", 1);
                return works(*pleat::default_machine(), 9) ? 42 : 1;
              }),
              42);
  }
  stop = true;
}

}  // namespace turns_test
