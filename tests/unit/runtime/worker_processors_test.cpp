// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "base/process_defaults.hpp"
#include "machines.hpp"
#include "threads/worker_affinity.hpp"

namespace worker_processors_test {

using pleat::detail::oversubscribed, pleat::detail::worker_processors;

class carrying : public machines {
 protected:
  carrying() { pleat::detail::defaults.thread_each = false; }
  ~carrying() override { pleat::detail::defaults.thread_each = true; }
};

std::vector<std::size_t> all_of(std::size_t p) {
  std::vector<std::size_t> all(p);
  for (std::size_t i = 0; i < p; ++i) all[i] = i;
  return all;
}

TEST(worker_processors, are_all_processors_where_no_two_share_a_pu) {
  const auto machine = pleat::topology::synthetic("core:4 pu:2");
  for (unsigned p = 1; p <= 8; ++p) {
    const auto placed = pleat::place(machine, {}, p);
    EXPECT_EQ(worker_processors(placed, false), all_of(p));
    EXPECT_EQ(worker_processors(placed, true), all_of(p));
    EXPECT_FALSE(oversubscribed(machine, placed, p));
  }
}

TEST(worker_processors, are_one_of_those_that_share_a_pu_unless_each_has_a_thread) {
  const auto machine = pleat::topology::synthetic("core:2 pu:1");
  const auto placed = pleat::place(machine, {}, 7u);
  EXPECT_EQ(worker_processors(placed, false), (std::vector<std::size_t>{0, 4}));
  EXPECT_FALSE(oversubscribed(machine, placed, 2));
  EXPECT_EQ(worker_processors(placed, true), all_of(7));
  EXPECT_TRUE(oversubscribed(machine, placed, 7));
}

// A machine with more workers than this process may use PUs.
constexpr unsigned times = 3;
unsigned pus() { return static_cast<unsigned>(pleat::topology::host().pus()); }

TEST_F(carrying, a_machine_has_a_thread_for_each_pu_and_programs_see_all_processors) {
  pleat::machine machine({.processors = times * pus(), .workers = pleat::workers::bound});
  EXPECT_EQ(machine.processors(), times * pus());
  EXPECT_EQ(machine.placement().processors.size(), times * pus());
  EXPECT_TRUE(machine.oversubscribed());
  const auto report =
      machine.run(times * pus(), [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); });
  EXPECT_EQ(report.vps, times * pus());
  EXPECT_EQ(report.processors, pus());
  EXPECT_EQ(report.times.size(), pus());
  std::set<unsigned> bound;
  for (const pleat::binding& one : report.bindings) {
    EXPECT_TRUE(one.bound());
    EXPECT_EQ(machine.placement().processors[one.processor].pu, one.pu);
    bound.insert(one.pu);
  }
  EXPECT_EQ(bound.size(), pus());
}

TEST_F(carrying, any_number_of_virtual_processors_does_what_it_does_with_a_thread_each) {
  for (const bool each : {false, true}) {
    pleat::machine machine({.processors = times * pus() + 1, .threads = {.each = each}});
    EXPECT_EQ(machine.waiting() == pleat::wait_policy::park, each);
    for (const std::size_t v : {1, 2, 3, 7, 64, 1000}) {
      for (int often = 0; often < 3; ++often) EXPECT_TRUE(works(machine, v)) << v;
    }
  }
}

TEST_F(carrying, an_option_gives_each_a_thread) {
  const auto sync_once = [](pleat::vp& me) -> pleat::task<> { co_await me.sync(0); };
  const unsigned p = times * pus();
  pleat::machine each({.processors = p, .threads = {.each = true}});
  EXPECT_EQ(each.run(p, sync_once).processors, p);
  pleat::machine shared({.processors = p});
  EXPECT_EQ(shared.run(p, sync_once).processors, pus());
}

TEST_F(carrying, a_failure_and_a_deadlock_are_told_as_ever) {
  pleat::machine machine({.processors = times * pus()});
  const std::size_t v = times * pus();
  EXPECT_THROW(machine.run(v,
                           [](pleat::vp& me) -> pleat::task<> {
                             if (me.rank() + 1 == me.size()) throw 1;
                             co_await me.sync(0);
                           }),
               pleat::vp_failed);
  EXPECT_THROW(machine.run(v,
                           [](pleat::vp& me) -> pleat::task<> {
                             if (me.rank() == 0) co_await me.pop<int>(me.size() - 1);
                             co_await me.sync(0);
                           }),
               pleat::deadlock);
  EXPECT_TRUE(works(machine, v));
}

}  // namespace worker_processors_test
