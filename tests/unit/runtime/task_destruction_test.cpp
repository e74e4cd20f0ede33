// SPDX-License-Identifier: Apache-2.0
// Destruction of coroutines, their arguments and their locals.
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>

#include "base/sanitizer.hpp"
#include "counted.hpp"

namespace task_destruction_test {

using pleat::task, pleat::vp;

pleat::machine& one_worker() {
  static pleat::machine machine({.processors = 1});
  return machine;
}

task<int> twice(int x) { co_return 2 * x; }

task<> note_nothing() { co_return; }

task<int> keeper(counted local) {
  (void)local;
  co_return 0;
}

TEST(task_destruction, of_a_task_never_awaited_destroys_its_arguments) {
  int alive = 0;
  one_worker().run(1, [&](vp&) -> task<> {
    const counted argument(alive);
    {
      const task<int> forgotten = keeper(argument);
      EXPECT_EQ(alive, 2);
    }
    EXPECT_EQ(alive, 1);
    co_return;
  });
  EXPECT_EQ(alive, 0);
}

TEST(task_destruction, when_a_run_fails_is_in_reverse_order_of_the_locals) {
  struct tracer {
    std::vector<int>& order;
    int id;
    ~tracer() { order.push_back(id); }
  };
  std::vector<int> order;
  const auto inner = [&](vp& me) -> task<> {
    const tracer third{order, 3};
    co_await me.sync(0);
  };
  const auto program = [&](vp& me) -> task<> {
    if (me.rank() == 1) throw std::runtime_error("stop");
    const tracer first{order, 1};
    const tracer second{order, 2};
    co_await inner(me);
  };
  EXPECT_THROW(one_worker().run(2, program), pleat::vp_failed);
  EXPECT_EQ(order, (std::vector{3, 2, 1}));
}

// Each level has what it was given by the one that awaits it, and looks at it when it is destroyed.
struct outlived {
  explicit outlived(const outlived* of, std::size_t& seen) : above(of), destroyed(&seen) {}
  outlived(const outlived&) = delete;
  outlived& operator=(const outlived&) = delete;
  ~outlived() {
    if (above == nullptr || above->alive) ++*destroyed;
    alive = false;
  }
  const outlived* above;
  std::size_t* destroyed;
  bool alive = true;
};

template <std::size_t bytes>
task<> wait_below(vp& me, const outlived* above, std::size_t levels, std::size_t& destroyed) {
  const outlived mine(above, destroyed);
  std::byte weight[bytes];
  weight[0] = weight[bytes - 1] = std::byte{1};
  if (levels == 1) {
    co_await me.sync(0);
  } else if (levels % 2 == 0) {
    co_await wait_below<bytes>(me, &mine, levels - 1, destroyed);
  } else {
    task<> below = wait_below<bytes>(me, &mine, levels - 1, destroyed);
    const outlived between(&mine, destroyed);
    co_await below;
  }
  if (weight[0] != weight[bytes - 1]) co_return;
}

// A program of two VPs: one waits in a chain of coroutines, the other fails.
template <std::size_t bytes> std::size_t destroyed_of(std::size_t levels) {
  std::size_t destroyed = 0;
  EXPECT_THROW(one_worker().run(2,
                                [&](vp& me) -> task<> {
                                  if (me.rank() == 1) throw std::runtime_error("on purpose");
                                  co_await wait_below<bytes>(me, nullptr, levels, destroyed);
                                }),
               pleat::run_error);
  return destroyed;
}

TEST(task_destruction, of_what_is_awaited_comes_before_that_of_what_it_was_given) {
  for (const std::size_t levels : {1, 2, 3, 10, 1000}) {
    const std::size_t between = levels < 2 ? 0 : (levels - 1) / 2;
    EXPECT_EQ(destroyed_of<8>(levels), levels + between) << levels;
    EXPECT_EQ(destroyed_of<3000>(levels), levels + between) << levels;  // large frames
  }
}

TEST(task_destruction, takes_chains_longer_than_the_stack) {
  const std::size_t levels = pleat::detail::sanitized ? 20'000 : 300'000;
  EXPECT_EQ(destroyed_of<8>(levels), levels + (levels - 1) / 2);
}

// While it is unwound a destructor makes a task, which must not get memory that still has an owner.
struct makes_a_task {
  ~makes_a_task() { const task<int> never = twice(1); }
};
task<> wait_between_makers(vp& me, int levels) {
  task<> below = levels == 0 ? task<>(note_nothing()) : wait_between_makers(me, levels - 1);
  const makes_a_task maker;
  co_await below;
  co_await me.sync(0);
}

TEST(task_destruction, may_make_a_task) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROW(one_worker().run(2,
                                  [&](vp& me) -> task<> {
                                    if (me.rank() == 1) throw std::runtime_error("on purpose");
                                    co_await wait_between_makers(me, 5);
                                  }),
                 pleat::run_error);
  }
}

template <std::size_t bytes> task<> weighty(vp& me, counted argument) {
  const counted local = argument;
  std::byte weight[bytes]{};
  co_await me.sync(0);
  if (weight[0] != weight[bytes - 1]) co_return;
}

// Keeps a task that is never awaited, and one that ends in the run, or is unwound if the run fails.
template <std::size_t bytes>
task<> keep(vp& me, std::vector<task<>>& tasks, int& alive, bool fails) {
  if (me.rank() != 0) {
    if (fails) throw std::runtime_error("on purpose");
    co_return;
  }
  for (int i = 0; i < 2; ++i) tasks.push_back(weighty<bytes>(me, counted(alive)));
  co_await tasks.back();
}

task<> leave(vp& me, std::vector<task<>>& tasks) {
  co_await me.sync(0);
  if (me.rank() == 0) tasks.clear();
  co_await me.sync(0);
}

// A run whose frames would lie over, or behind, those that were kept.
void use_memory(pleat::machine& machine) {
  int alive = 0;
  machine.run(2000, [&](vp& me) { return weighty<500>(me, counted(alive)); });
  EXPECT_EQ(alive, 0);
}

template <std::size_t bytes> void outlive_runs() {
  for (const auto& [released, fails] :
       {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
    for (int destroyed = 0; destroyed < 4; ++destroyed) {
      int alive = 0;
      std::vector<task<>> tasks;
      {
        pleat::machine machine({.processors = 1}), other({.processors = 1});
        const auto program = [&](vp& me) { return keep<bytes>(me, tasks, alive, fails); };
        if (fails)
          EXPECT_THROW(machine.run(100, program), pleat::vp_failed);
        else
          machine.run(100, program);
        if (released) machine.release_memory();
        use_memory(machine);
        if (destroyed == 0) tasks.clear();
        for (pleat::machine* in : {&machine, &other})
          if (destroyed == (in == &machine ? 1 : 2))
            in->run(100, [&](vp& me) { return leave(me, tasks); });
        use_memory(machine);
        use_memory(other);
      }
      tasks.clear();
      EXPECT_EQ(alive, 0);
      EXPECT_EQ(pleat::detail::outlived_frames, 0u);
    }
  }
}

TEST(task_destruction, may_come_after_the_run_and_after_the_machine) {
  outlive_runs<8>();
  outlive_runs<3000>();  // large frames
}

}  // namespace task_destruction_test
