// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/error.hpp>

#include "in_child.hpp"
#include "machines.hpp"

namespace default_machine_test {

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

TEST_F(default_machine, gives_a_thread_several_turns_and_refuses_them_inside_a_run) {
  const pleat::default_machine on;
  {
    const pleat::default_machine again;
    EXPECT_EQ(&*again, &*on);
    EXPECT_TRUE(works(*again, 3));
  }
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

}  // namespace default_machine_test
