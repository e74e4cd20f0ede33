// SPDX-License-Identifier: Apache-2.0
// Machines and the process around them.
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "in_child.hpp"
#include "machines.hpp"

namespace machine_process_test {

using pleat::machine, pleat::machine_options, pleat::task, pleat::vp;

using machine_process = machines;

TEST_F(machine_process, of_the_parent_are_refused_after_a_fork) {
  machine m({.processors = 2});
  EXPECT_TRUE(works(m, 4));
  const int code = in_child([&] {
    try {
      (void)works(m, 4);
    } catch (const pleat::usage_error&) {
      return 42;
    }
    return 1;
  });
  EXPECT_EQ(code, 42);
  EXPECT_TRUE(works(m, 4)) << "the parent's goes on";
}

TEST_F(machine_process, of_the_parent_can_be_dropped_after_a_fork) {
  auto m = std::make_unique<machine>(machine_options{.processors = 3});
  EXPECT_TRUE(works(*m, 4));
  const int code = in_child([&] {
    m.reset();
    return 42;
  });
  EXPECT_EQ(code, 42);
  EXPECT_TRUE(works(*m, 4));
}

TEST_F(machine_process, look_at_a_variable_only_where_no_option_is_given) {
  const int code = in_child([&] {
    ::setenv("PLEAT_NUM_PROCESSORS", "many", 1);
    ::setenv("PLEAT_PLACE", "list:0-", 1);
    ::setenv("PLEAT_WAIT", "patiently", 1);
    const machine_options all{.processors = 1,
                              .place = pleat::parse_placement("compact"),
                              .wait = pleat::wait_policy::park};
    machine m(all);
    if (!works(m, 8)) return 1;
    for (int left_out = 0; left_out < 3; ++left_out) {
      machine_options options = all;
      if (left_out == 0) options.processors.reset();
      if (left_out == 1) options.place.reset();
      if (left_out == 2) options.wait.reset();
      constexpr const char* variables[] = {"PLEAT_NUM_PROCESSORS", "PLEAT_PLACE", "PLEAT_WAIT"};
      try {
        const machine never(options);
        return 2;
      } catch (const pleat::usage_error& e) {
        if (std::string(e.what()).find(variables[left_out]) != 0) return 3;
      }
    }
    return 42;
  });
  EXPECT_EQ(code, 42);
}

}  // namespace machine_process_test
