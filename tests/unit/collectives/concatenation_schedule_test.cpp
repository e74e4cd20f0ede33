// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/runtime/error.hpp>

namespace concatenation_schedule_test {

using pleat::concatenation_goal, pleat::concatenation_schedule, pleat::concatenation_transfer;

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

std::size_t fewest_rounds(std::size_t n, std::size_t ports) {  // ⌈log_{ports + 1} n⌉
  std::size_t rounds = 0;
  for (std::size_t reach = 1; reach < n; reach *= ports + 1) ++rounds;
  return rounds;
}

// Tells whether n is in the range for which the least of both measures is not promised.
bool excepted(std::size_t n, std::size_t units, std::size_t ports) {
  std::size_t reach = 1;
  while (reach < n) reach *= ports + 1;
  return units >= 3 && ports >= 3 && reach - ports < n && n < reach;
}

// Every rank holds the units of its own table that are marked; all do alike.
void expect_concatenation(const concatenation_schedule& schedule, std::size_t n, std::size_t units,
                          std::size_t ports) {
  std::vector<int> copies(n * units, 0);
  std::fill_n(copies.begin(), units, 1);
  for (const auto& round : schedule.rounds()) {
    const std::vector<int> before = copies;
    ASSERT_LE(round.size(), ports);
    ASSERT_FALSE(round.empty());
    for (const auto& one : round) {
      ASSERT_GT(one.size, 0u);
      ASSERT_LE(one.first + one.size, n * units);
      for (std::size_t e = one.first; e < one.first + one.size; ++e) {
        ASSERT_GE(e, one.offset * units);
        ASSERT_EQ(before[e - one.offset * units], 1) << "the sender lacks entry " << e;
        ++copies[e];
      }
    }
  }
  ASSERT_EQ(copies, std::vector<int>(n * units, 1));
}

TEST(concatenation_schedule, brings_every_unit_once_with_fewest_rounds_and_least_volume) {
  for (std::size_t n = 1; n <= 200; ++n) {
    for (std::size_t ports = 1; ports <= 6; ++ports) {
      for (const std::size_t units : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u}) {
        const concatenation_schedule schedule(n, units, ports);
        expect_concatenation(schedule, n, units, ports);
        const std::size_t least = divide_up(units * (n - 1), ports);
        ASSERT_EQ(schedule.rounds().size(), fewest_rounds(n, ports))
            << "n " << n << " units " << units << " ports " << ports;
        if (excepted(n, units, ports)) {
          ASSERT_GE(schedule.volume(), least);
          ASSERT_LE(schedule.volume(), least + units - 1);
        } else {
          ASSERT_EQ(schedule.volume(), least)
              << "n " << n << " units " << units << " ports " << ports;
        }
      }
    }
  }
}

TEST(concatenation_schedule, keeps_the_volume_for_one_round_more) {
  for (std::size_t n = 2; n <= 200; ++n) {
    for (std::size_t ports = 1; ports <= 6; ++ports) {
      for (const std::size_t units : {1u, 3u, 4u, 5u, 7u, 8u, 12u}) {
        const concatenation_schedule schedule(n, units, ports, concatenation_goal::volume);
        expect_concatenation(schedule, n, units, ports);
        ASSERT_LE(schedule.rounds().size(), fewest_rounds(n, ports) + 1);
        if (n > ports) {
          ASSERT_EQ(schedule.volume(), divide_up(units * (n - 1), ports))
              << "n " << n << " units " << units << " ports " << ports;
        }
      }
    }
  }
}

TEST(equal_parts, are_those_of_the_papers_example) {
  // Three of ten blocks of three units are held, three ports: offsets 3, 5, 7 with 7 units each.
  EXPECT_EQ(pleat::equal_parts(3, 10, 3, 3),
            (concatenation_schedule::round{{3, 9, 7}, {5, 16, 7}, {7, 23, 7}}));
}

TEST(equal_parts, are_none_where_a_part_touches_more_blocks_than_are_held) {
  EXPECT_TRUE(pleat::equal_parts(4, 15, 3, 3).empty());
}

TEST(concatenation_schedule, grows_by_all_ports_then_fetches_the_rest) {
  const concatenation_schedule schedule(10, 3, 3);
  ASSERT_EQ(schedule.rounds().size(), 2u);
  EXPECT_EQ(schedule.rounds()[0], (concatenation_schedule::round{{1, 3, 3}, {2, 6, 3}, {3, 9, 3}}));
  EXPECT_EQ(schedule.rounds()[1],
            (concatenation_schedule::round{{4, 12, 6}, {6, 18, 6}, {8, 24, 6}}));
}

TEST(concatenation_schedule, of_a_power_doubles_only) {
  const concatenation_schedule schedule(16, 5, 1);
  ASSERT_EQ(schedule.rounds().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t held = std::size_t{1} << i;
    EXPECT_EQ(schedule.rounds()[i], (concatenation_schedule::round{{held, 5 * held, 5 * held}}));
  }
}

TEST(concatenation_schedule, refuses_what_it_cannot_have) {
  EXPECT_THROW(concatenation_schedule(0, 1, 1), pleat::usage_error);
  EXPECT_THROW(concatenation_schedule(4, 0, 1), pleat::usage_error);
  EXPECT_THROW(concatenation_schedule(4, 1, 0), pleat::usage_error);
  EXPECT_THROW(concatenation_schedule(~std::size_t{0}, 2, 1), pleat::usage_error);
}

}  // namespace concatenation_schedule_test
