// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/collectives/index_schedule.hpp>
#include <pleat/runtime/error.hpp>

namespace index_schedule_test {

using pleat::best_index_radix, pleat::index_schedule;

std::size_t digits_of(std::size_t n, std::size_t radix) {  // ⌈log_radix n⌉
  std::size_t digits = 0;
  for (std::size_t reach = 1; reach < n; reach *= radix) ++digits;
  return digits;
}

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Rank i's block j starts as (i, i + j). All ranks do alike, so each block is where rank 0's of the
// same number is, as far from its origin: it is enough to follow how far block j has come.
void expect_exchange(const index_schedule& schedule) {
  const std::size_t n = schedule.processors();
  std::vector<std::size_t> travelled(n, 0);
  for (const auto& step : schedule.steps()) {
    ASSERT_LT(step.offset, n);
    std::size_t moved = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!schedule.moves(step, j)) continue;
      travelled[j] += step.offset;
      ++moved;
    }
    ASSERT_EQ(schedule.blocks(step), moved);
    bool arrived = false;
    schedule.each_moved(step, [&](std::size_t j, bool arrives) {
      ASSERT_TRUE(schedule.moves(step, j)) << j;
      ASSERT_EQ(arrives, travelled[j] == j) << j;
      ASSERT_LE(arrived, arrives) << j;  // these come last
      arrived = arrives;
      --moved;
    });
    ASSERT_EQ(moved, 0u);
  }
  for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(travelled[j], j);
}

// Expects the exchange of every block of every rank, without use of the symmetry.
void expect_exchange_in_full(const index_schedule& schedule) {
  struct block {
    std::size_t from, to;
  };
  const std::size_t n = schedule.processors();
  std::vector<std::vector<block>> held(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) held[i].push_back({i, (i + j) % n});
  }
  for (const auto& step : schedule.steps()) {
    auto after = held;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (schedule.moves(step, j)) after[(i + step.offset) % n][j] = held[i][j];
      }
    }
    held = after;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      ASSERT_EQ(held[i][j].to, i);
      ASSERT_EQ(held[i][j].from, (i + n - j) % n);
    }
  }
}

TEST(index_schedule, brings_every_block_to_its_rank_in_every_radix) {
  for (std::size_t n = 1; n <= 200; ++n) {
    for (std::size_t radix = 2; radix <= std::max<std::size_t>(2, n); ++radix) {
      for (std::size_t ports = 1; ports <= 6; ++ports) {
        const index_schedule schedule(n, radix, ports);
        if (ports == 1) expect_exchange(schedule);

        const std::size_t w = digits_of(n, radix), a_digit = divide_up(radix - 1, ports);
        ASSERT_LE(schedule.rounds(), a_digit * w);
        std::size_t in_round = 0, volume = 0, bound = 0;
        for (std::size_t s = 0; s < schedule.steps().size(); ++s) {
          const auto& step = schedule.steps()[s];
          const bool first = s == 0 || schedule.steps()[s - 1].round != step.round;
          in_round = first ? 1 : in_round + 1;
          if (first) {
            volume += schedule.blocks(step);
            bound += divide_up(n, radix * step.place) * step.place;
          }
          ASSERT_LE(in_round, ports);
          if (!first) {
            ASSERT_EQ(schedule.steps()[s - 1].place, step.place);
            ASSERT_GE(schedule.blocks(schedule.steps()[s - 1]), schedule.blocks(step));
          } else if (s > 0) {
            ASSERT_EQ(schedule.steps()[s - 1].round + 1, step.round);
          }
        }
        ASSERT_EQ(schedule.volume(), volume);
        ASSERT_LE(volume, bound);
      }
    }
  }
}

TEST(index_schedule, moves_the_data_of_all_ranks) {
  for (std::size_t n = 1; n <= 24; ++n) {
    for (std::size_t radix = 2; radix <= std::max<std::size_t>(2, n); ++radix) {
      expect_exchange_in_full(index_schedule(n, radix, 1));
    }
  }
}

TEST(index_schedule, has_fewest_rounds_in_radix_ports_plus_one_and_least_volume_in_radix_n) {
  for (std::size_t n = 2; n <= 200; ++n) {
    for (std::size_t ports = 1; ports <= 6; ++ports) {
      if (ports + 1 <= n) {
        EXPECT_EQ(index_schedule(n, ports + 1, ports).rounds(), digits_of(n, ports + 1));
      }
      EXPECT_EQ(index_schedule(n, n, ports).volume(), divide_up(n - 1, ports));
    }
  }
}

TEST(index_schedule, of_a_power_of_the_radix_has_the_papers_measures) {
  for (std::size_t radix = 2; radix <= 14; ++radix) {
    std::size_t w = 1;
    for (std::size_t n = radix; n <= 200; n *= radix, ++w) {
      for (std::size_t ports = 1; ports <= 6; ++ports) {
        const index_schedule schedule(n, radix, ports);
        const std::size_t a_digit = divide_up(radix - 1, ports);
        EXPECT_EQ(schedule.rounds(), a_digit * w);
        EXPECT_EQ(schedule.volume(), a_digit * (n / radix) * w);
      }
    }
  }
}

TEST(best_index_radix, is_the_best_of_all) {
  for (std::size_t n = 2; n <= 120; ++n) {
    for (std::size_t ports = 1; ports <= 4; ++ports) {
      std::vector<std::pair<double, double>> measures;  // of radix 2, 3, …: rounds and bytes
      for (std::size_t radix = 2; radix <= n; ++radix) {
        const index_schedule one(n, radix, ports);
        measures.emplace_back(one.rounds(), 8.0 * static_cast<double>(one.volume()));
      }
      for (const double per_byte : {0.0, 0.001, 0.01, 0.05, 0.3, 2.0}) {
        const auto time = [&](const auto& of) { return of.first + of.second * per_byte; };
        const auto best = std::ranges::min_element(measures, {}, time) - measures.begin() + 2;
        ASSERT_EQ(best_index_radix(n, ports, 8, {1.0, per_byte}), static_cast<std::size_t>(best))
            << "n = " << n << ", ports = " << ports << ", per byte " << per_byte;
      }
    }
  }
}

TEST(best_index_radix, goes_from_few_rounds_to_little_volume_as_blocks_grow) {
  const pleat::message_cost cost{1e-6, 1e-9};
  EXPECT_EQ(best_index_radix(64, 1, 1, cost), 2u);
  const std::size_t large = best_index_radix(64, 1, 1 << 20, cost);
  EXPECT_EQ(index_schedule(64, large, 1).volume(), 63u);
  EXPECT_EQ(best_index_radix(1, 1, 8, cost), 2u);
}

TEST(index_schedule, refuses_what_it_cannot_have) {
  EXPECT_THROW(index_schedule(0, 2, 1), pleat::usage_error);
  EXPECT_THROW(index_schedule(8, 1, 1), pleat::usage_error);
  EXPECT_THROW(index_schedule(8, 9, 1), pleat::usage_error);
  EXPECT_THROW(index_schedule(8, 2, 0), pleat::usage_error);
  EXPECT_THROW(static_cast<void>(best_index_radix(8, 0, 1, {1, 1})), pleat::usage_error);
  EXPECT_THROW(static_cast<void>(best_index_radix(8, 1, 1, {-1, 1})), pleat::usage_error);
}

}  // namespace index_schedule_test
