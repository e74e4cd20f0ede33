// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/segment.hpp>

namespace segment_test {

using pleat::cluster_of, pleat::division, pleat::rank_range, pleat::segment;

rank_range ranks_of(const segment& s) { return {s.first, s.first + s.size}; }

// Every segment of M(v) that is a cluster.
std::vector<segment> clusters_of_machine(std::size_t v) {
  std::vector<segment> result;
  for (unsigned label = 0; label <= pleat::label_count(v); ++label) {
    for (std::size_t first = 0; first < v;) {
      const rank_range c = cluster_of(v, first, label);
      result.push_back({c.first, c.size(), label});
      first = c.last;
    }
  }
  return result;
}

TEST(segment, contains_its_ranks_and_no_others) {
  const segment s{4, 3, 1};
  for (std::size_t rank = 0; rank < 10; ++rank) EXPECT_EQ(s.contains(rank), rank >= 4 && rank < 7);
}

TEST(segment_divide, hands_out_every_problem_once_and_in_the_order_of_the_ranks) {
  for (const segment& s : clusters_of_machine(64)) {
    for (std::size_t count = 1; count <= 512; count *= 2) {
      std::size_t next = 0;
      for (std::size_t rank = s.first; rank < s.first + s.size; ++rank) {
        const division d = s.divide(count, rank);
        ASSERT_GE(d.problems, 1u);
        if (d.first_problem < next) {  // the problem of the VP before: they share the sub-segment
          ASSERT_EQ(d.first_problem + 1, next);
          ASSERT_NE(rank, d.part.first);
        } else {
          ASSERT_EQ(d.first_problem, next);
          ASSERT_EQ(rank, d.part.first);
          next += d.problems;
        }
      }
      ASSERT_EQ(next, count);
    }
  }
}

TEST(segment_divide, makes_equal_parts) {
  for (const segment& s : clusters_of_machine(64)) {
    for (std::size_t count = 1; count <= 512; count *= 2) {
      for (std::size_t rank = s.first; rank < s.first + s.size; ++rank) {
        const division d = s.divide(count, rank);
        EXPECT_EQ(d.part.size, s.size > count ? s.size / count : 1);
        EXPECT_EQ(d.problems, s.size < count ? count / s.size : 1);
      }
    }
  }
}

TEST(segment_divide, makes_parts_that_are_clusters_with_their_own_barrier) {
  constexpr std::size_t v = 64;
  for (const segment& s : clusters_of_machine(v)) {
    for (std::size_t count = 1; count <= 512; count *= 2) {
      for (std::size_t rank = s.first; rank < s.first + s.size; ++rank) {
        const segment part = s.divide(count, rank).part;
        ASSERT_TRUE(part.contains(rank));
        ASSERT_TRUE(ranks_of(s).covers(ranks_of(part)));
        ASSERT_EQ(cluster_of(v, rank, part.label), ranks_of(part));
      }
    }
  }
}

TEST(segment_divide, gives_one_problem_each_where_there_are_as_many_whatever_their_number) {
  for (std::size_t v = 2; v <= 40; ++v) {
    const segment all{0, v, 0};
    for (std::size_t rank = 0; rank < v; ++rank) {
      const division d = all.divide(v, rank);
      EXPECT_EQ(d.first_problem, rank);
      EXPECT_EQ(d.problems, 1u);
      EXPECT_EQ(ranks_of(d.part), (rank_range{rank, rank + 1}));
      EXPECT_EQ(cluster_of(v, rank, d.part.label), ranks_of(d.part));
    }
  }
}

}  // namespace segment_test
