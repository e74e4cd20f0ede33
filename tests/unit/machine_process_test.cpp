// SPDX-License-Identifier: Apache-2.0
// Machines and the process around them: fork, and memory that runs out.
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/sanitizer.hpp>
#include <pleat/runtime/error.hpp>

#include "in_child.hpp"
#include "machines.hpp"

namespace {

using pleat::machine;
using pleat::machine_options;
using pleat::task;
using pleat::vp;

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

TEST_F(machine_process, can_be_made_in_a_forked_child) {
  const machine parents({.processors = 1});
  const int code = in_child([&] {
    machine m({.processors = 1});
    return works(m, 8) ? 42 : 1;
  });
  EXPECT_EQ(code, 42);
}

TEST_F(machine_process, survive_a_run_there_is_no_memory_for) {
  // A sanitizer's shadow is larger than any limit: there the child just runs.
  const int code = in_child([&] {
    machine m({.processors = 1});
    if (!works(m, 1000)) return 1;
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::size_t{1} << 30;
    if (!pleat::detail::sanitized) {
      ::setrlimit(RLIMIT_AS, &limit);
      try {
        (void)works(m, std::size_t{1} << 26);
        return 2;
      } catch (const std::bad_alloc&) {
      }
      try {
        m.run(std::size_t{1} << 26, [](vp&) -> task<> { co_return; });
        return 3;
      } catch (const std::bad_alloc&) {
      }
    }
    return works(m, 1000) ? 42 : 4;
  });
  EXPECT_EQ(code, 42);
}

// One VP sends till there is no memory: small messages, large ones, or to a parcel for another
// worker.
TEST_F(machine_process, give_back_what_they_have_when_memory_ends) {
  if (pleat::detail::sanitized) GTEST_SKIP() << "a sanitizer's shadow is larger than any limit";
  const int code = in_child([&] {
    machine m({.processors = 2});
    if (!works(m, 1000)) return 1;
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    constexpr std::size_t left = std::size_t{1} << 28;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + left;
    ::setrlimit(RLIMIT_AS, &limit);
    const std::vector<std::byte> large(std::size_t{1} << 20);
    for (const std::size_t to : {1, 3}) {
      for (const bool many : {false, true}) {
        try {
          m.run(4, [&](vp& me) -> task<> {
            while (me.rank() == 0) {
              if (many)
                me.send(to, me.rank());
              else
                me.send(to, large);
            }
            co_await me.sync(0);
          });
          return 2;
        } catch (const pleat::vp_failed& e) {
          try {
            e.rethrow_cause();
          } catch (const std::bad_alloc&) {
          }
        }
        if (!works(m, 1000)) return 3;
        // Half of all there is can be had again, by whoever else wants it.
        try {
          std::vector<std::byte>(left / 2);
        } catch (const std::bad_alloc&) {
          return 4;
        }
      }
    }
    return 42;
  });
  EXPECT_EQ(code, 42);
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

}  // namespace
