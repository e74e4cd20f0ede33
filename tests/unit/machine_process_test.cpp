// SPDX-License-Identifier: Apache-2.0
// Machines and the process around them: fork, and memory that runs out.
#include <cstddef>
#include <memory>
#include <new>
#include <sys/resource.h>

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

}  // namespace
