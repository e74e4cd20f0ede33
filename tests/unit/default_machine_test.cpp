// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/sanitizer.hpp>
#include <pleat/runtime/error.hpp>

#include "machines.hpp"

namespace {

class default_machine : public machines {};

TEST_F(default_machine, is_one_machine_whose_users_take_turns) {
  pleat::machine* const first = &*pleat::default_machine();
  std::atomic<int> inside = 0;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const pleat::default_machine on;
        if (++inside != 1 || &*on != first || !works(*on, 5)) ++failures;
        --inside;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(default_machine, refuses_a_second_turn_of_a_thread_and_turns_inside_a_run) {
  const pleat::default_machine on;
  EXPECT_THROW(const pleat::default_machine again, pleat::usage_error);
  EXPECT_TRUE(works(*on, 3));
  std::atomic<int> refused = 0;
  on->run(4, [&](pleat::vp&) -> pleat::task<> {
    try {
      const pleat::default_machine inner;
    } catch (const pleat::usage_error&) {
      ++refused;
    }
    co_return;
  });
  EXPECT_EQ(refused, 4);
}

TEST_F(default_machine, is_another_one_in_a_forked_child) {
  if (pleat::detail::sanitized) GTEST_SKIP() << "threads after fork confuse the sanitizers";
  const pleat::default_machine held;  // locked while the child is made
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int status = 1;
    try {
      const pleat::default_machine on;
      if (&*on != &*held && works(*on, 6)) status = 0;
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
