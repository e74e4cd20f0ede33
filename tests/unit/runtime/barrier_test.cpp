// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/barrier.hpp>

namespace barrier_test {

using pleat::forever;

constexpr std::size_t most_members = 33;

template <class B> class barriers : public testing::Test {};

struct kind_names {
  template <class B> static std::string GetName(int) {
    if (std::is_same_v<B, pleat::flat_barrier>) return "flat";
    if (std::is_same_v<B, pleat::dissemination_barrier>) return "dissemination";
    if (std::is_same_v<B, pleat::tree_barrier>) return "tree";
    return "chosen";
  }
};
using kinds = testing::Types<pleat::flat_barrier, pleat::dissemination_barrier, pleat::tree_barrier,
                             pleat::barrier>;
TYPED_TEST_SUITE(barriers, kinds, kind_names);

// Polls all members until no poll changes a flag; returns the epoch that each member has read.
template <class B> std::vector<std::uint64_t> settle(B& b) {
  std::vector<std::uint64_t> known(b.members());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t m = 0; m < b.members(); ++m) {
      const pleat::barrier_progress progress = b.poll(m);
      known[m] = progress.reached;
      changed |= progress.passed_on;
    }
  }
  return known;
}

TYPED_TEST(barriers, know_their_members_and_what_each_announced) {
  for (std::size_t n = 1; n <= most_members; ++n) {
    TypeParam b(n);
    EXPECT_EQ(b.members(), n);
    for (std::size_t m = 0; m < n; ++m) {
      EXPECT_EQ(b.arrivals(m), 0u);
      b.announce(m, m + 1);
      EXPECT_EQ(b.arrivals(m), m + 1);
    }
  }
}

TYPED_TEST(barriers, are_right_in_every_interleaving_of_arrivals_and_looks) {
  std::mt19937_64 random(20240229);
  for (std::size_t n = 1; n <= most_members; ++n) {
    TypeParam b(n);
    std::vector<std::uint64_t> epoch(n, 0), known(n, 0);
    for (int step = 0; step < 3000; ++step) {
      const std::size_t m = random() % n;
      const bool may_arrive = known[m] >= epoch[m];
      if (may_arrive && random() % 2 == 0) {
        b.announce(m, ++epoch[m]);
        continue;
      }
      const std::uint64_t reached = b.poll(m).reached;
      ASSERT_GE(reached, known[m]) << "what was reached stays reached";
      known[m] = reached;
      // A member never reads an epoch that another member has not announced.
      ASSERT_LE(reached, *std::min_element(epoch.begin(), epoch.end()));
    }
    const std::uint64_t least = *std::min_element(epoch.begin(), epoch.end());
    for (const std::uint64_t reached : settle(b)) ASSERT_EQ(reached, least) << "never late";
  }
}

TYPED_TEST(barriers, pass_nothing_on_if_they_do_not_relay) {
  for (std::size_t n = 1; n <= most_members; ++n) {
    TypeParam b(n);
    if (b.relays()) continue;
    for (std::size_t m = 0; m < n; ++m) {
      b.announce(m, 1);
      for (std::size_t other = 0; other < n; ++other) EXPECT_FALSE(b.poll(other).passed_on);
    }
  }
}

TYPED_TEST(barriers, count_members_that_left_as_arrived_for_ever) {
  std::mt19937_64 random(11);
  for (std::size_t n = 2; n <= most_members; ++n) {
    TypeParam b(n);
    std::vector<std::uint64_t> epoch(n, 0);
    while (std::count(epoch.begin(), epoch.end(), forever) < static_cast<std::ptrdiff_t>(n)) {
      for (std::size_t m = 0; m < n; ++m) {
        if (epoch[m] == forever) continue;
        epoch[m] = random() % 8 == 0 ? forever : epoch[m] + 1;
        b.announce(m, epoch[m]);
      }
      const std::uint64_t least = *std::min_element(epoch.begin(), epoch.end());
      for (const std::uint64_t reached : settle(b)) ASSERT_EQ(reached, least);
    }
  }
}

TYPED_TEST(barriers, begin_again_after_a_reset) {
  for (std::size_t n = 1; n <= most_members; ++n) {
    TypeParam b(n);
    for (const std::uint64_t end : {std::uint64_t{5}, forever}) {
      for (std::size_t m = 0; m < n; ++m) b.announce(m, end);
      for (const std::uint64_t reached : settle(b)) ASSERT_EQ(reached, end);
      b.reset();
      for (std::size_t m = 0; m < n; ++m) ASSERT_EQ(b.arrivals(m), 0u);
      for (const std::uint64_t reached : settle(b)) ASSERT_EQ(reached, 0u);
    }
  }
}

}  // namespace barrier_test
