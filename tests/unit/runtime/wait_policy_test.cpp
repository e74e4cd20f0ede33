// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/wait_policy.hpp>

namespace wait_policy_test {

using pleat::parse_wait_policy, pleat::wait_policy;

constexpr wait_policy all_policies[] = {wait_policy::automatic, wait_policy::spin,
                                        wait_policy::yield, wait_policy::park};

TEST(parse_wait_policy, knows_the_four) {
  EXPECT_EQ(parse_wait_policy("auto"), wait_policy::automatic);
  EXPECT_EQ(parse_wait_policy("spin"), wait_policy::spin);
  EXPECT_EQ(parse_wait_policy("yield"), wait_policy::yield);
  EXPECT_EQ(parse_wait_policy("park"), wait_policy::park);
}

TEST(parse_wait_policy, names_the_four_when_it_is_none_of_them) {
  for (const char* wrong : {"", "Spin", "spin ", "automatic", "sleep"}) {
    try {
      (void)parse_wait_policy(wrong);
      ADD_FAILURE() << '"' << wrong << "\" was accepted";
    } catch (const pleat::usage_error& e) {
      for (const char* name : {"auto", "spin", "yield", "park"})
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
}

TEST(wait_policy, is_the_machines_unless_it_is_left_to_it) {
  for (const wait_policy policy : all_policies) {
    const pleat::machine machine({.processors = 1, .wait = policy});
    if (policy != wait_policy::automatic) {
      EXPECT_EQ(machine.waiting(), policy);
    }
  }
}

TEST(wait_policy, left_to_an_oversubscribed_machine_is_to_park) {
  const pleat::machine machine(
      {.processors = 2 * pleat::topology::host().pus() + 1, .wait = wait_policy::automatic});
  EXPECT_TRUE(machine.oversubscribed());
  EXPECT_EQ(machine.waiting(), wait_policy::park);
}

pleat::task<> shift(pleat::vp& me, long& x) {
  for (int step = 0; step < 20; ++step) {
    me.send((me.rank() + 1) % me.size(), x);
    co_await me.sync(0);
    const auto m = me.receive();
    x = m->get<long>();
  }
}

TEST(wait_policy, changes_nothing_but_the_waiting) {
  for (const wait_policy policy : all_policies) {
    for (const unsigned workers : {1u, 2u, 5u}) {
      pleat::machine machine({.processors = workers, .wait = policy});
      for (const std::size_t v : {1, 2, 5, 16}) {
        std::vector<long> x(v);
        for (std::size_t r = 0; r < v; ++r) x[r] = static_cast<long>(r);
        machine.run(v, [&](pleat::vp& me) { return shift(me, x[me.rank()]); });
        for (std::size_t r = 0; r < v; ++r)
          ASSERT_EQ(x[r], static_cast<long>((r + v - 20 % v) % v)) << v << " on " << workers;
      }
    }
  }
}

}  // namespace wait_policy_test
