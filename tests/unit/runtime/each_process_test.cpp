// SPDX-License-Identifier: Apache-2.0
#include <latch>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/each_process.hpp>

#include "in_child.hpp"

namespace each_process_test {

using pleat::detail::each_process, pleat::detail::made_once;

TEST(made_once, is_tried_again_after_an_exception) {
  static constinit made_once<std::string> once;
  EXPECT_THROW((void)once.get([]() -> std::string { throw std::runtime_error("not yet"); }),
               std::runtime_error);
  EXPECT_EQ(once.get([] { return std::string("now"); }), "now");
}

TEST(made_once, is_a_childs_too) {
  static constinit made_once<int> once;
  EXPECT_EQ(once.get([] { return 42; }), 42);
  EXPECT_EQ(in_child([] { return once.get([] { return 1; }); }), 42);
}

// A thread is making it while the process forks.
TEST(made_once, does_not_make_a_child_wait_for_its_parents_threads) {
  static constinit made_once<int> once;
  std::latch making(1);
  std::latch forked(1);
  std::thread maker([&] {
    EXPECT_EQ(once.get([&] {
      making.count_down();
      forked.wait();
      return 1;
    }),
              1);
  });
  making.wait();
  EXPECT_EQ(in_child([] { return once.get([] { return 42; }); }), 42);
  forked.count_down();
  maker.join();
}

TEST(each_process, has_an_object_of_its_own) {
  struct counter {
    int value = 40;
  };
  static constinit each_process<counter> counters;
  EXPECT_EQ(++counters.get().value, 41);
  EXPECT_EQ(&counters.get(), &counters.get());
  EXPECT_EQ(in_child([] {
              ++counters.get().value;
              return ++counters.get().value;
            }),
            42);
  EXPECT_EQ(counters.get().value, 41);
}

TEST(each_process, does_not_wait_for_a_lock_of_the_parent) {
  static constinit each_process<std::mutex> locks;
  const std::scoped_lock held(locks.get());
  EXPECT_EQ(in_child([] {
              const std::scoped_lock lock(locks.get());
              return 42;
            }),
            42);
}

}  // namespace each_process_test
