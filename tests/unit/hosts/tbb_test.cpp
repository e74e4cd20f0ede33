// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <stdexcept>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/host/tbb.hpp>
#include <pleat/runtime/machine.hpp>

#include "unit/runtime/machines.hpp"

namespace tbb_test {

using control = tbb::global_control;
using pleat::machine, pleat::task, pleat::vp;

using onetbb = machines;

TEST_F(onetbb, threads_of_an_arena_carry_out_the_runs) {
  const control three(control::max_allowed_parallelism, 3);
  machine m({.processors = 3, .workers = borrowed});
  tbb::task_arena arena(3);
  for (int round = 0; round < 10; ++round) {
    pleat::onetbb::in_arena(arena, m, [&] {
      for (const std::size_t v : {1, 2, 7, 64}) EXPECT_TRUE(works(m, v));
    });
    EXPECT_EQ(m.threads(), 1u);
  }
  pleat::onetbb::in_arena(arena, m, [&] {
    while (m.threads() < 3) {
    }
    const auto report = m.run(64, [](vp& me) -> task<> { co_await me.sync(0); });
    EXPECT_EQ(report.processors, 3u);
  });
}

TEST_F(onetbb, an_arena_of_one_thread_suffices) {
  const control one(control::max_allowed_parallelism, 1);
  machine m({.processors = 2, .workers = borrowed});
  tbb::task_arena arena(4);
  bool right = false;
  pleat::onetbb::in_arena(arena, m, [&] { right = works(m, 9); });
  EXPECT_TRUE(right);
}

TEST_F(onetbb, an_arena_hands_on_what_its_work_throws) {
  machine m({.processors = 2, .workers = borrowed});
  tbb::task_arena arena(2);
  EXPECT_THROW(pleat::onetbb::in_arena(arena, m, [] { throw std::runtime_error("stop"); }),
               std::runtime_error);
  machine own({.processors = 2});
  EXPECT_THROW(pleat::onetbb::in_arena(arena, own, [] {}), pleat::usage_error);
  bool right = false;
  pleat::onetbb::in_arena(arena, m, [&] { right = works(m, 9); });
  EXPECT_TRUE(right);
}

TEST_F(onetbb, the_default_machine_of_a_task_is_its_callers_alone) {
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 8, [&](int) {
    const pleat::default_machine on;
    wrong += on->processors() != 1 || !works(*on, 9);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pleat::default_machine()->processors(), pleat::topology::host().available());
}

TEST_F(onetbb, says_how_large_a_machine_is_to_be_only_if_it_is_asked) {
  const control one(control::max_allowed_parallelism, 1);
  EXPECT_EQ(pleat::onetbb::processors(), 1u);
  EXPECT_EQ(machine().processors(), pleat::topology::host().available());
}

}  // namespace tbb_test
