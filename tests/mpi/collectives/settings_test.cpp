// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <bit>

#include <gtest/gtest.h>

namespace pleat::preloaded {
namespace settings_test {

settings of(const char* collectives) { return read_settings({.collectives = collectives}); }

TEST(settings, names_are_ours_at_every_size_and_the_others_are_not) {
  const choice some = of("bcast,allgatherv").for_ranks(5);
  EXPECT_TRUE(some.ours(operation::bcast, 1));
  EXPECT_TRUE(some.ours(operation::allgatherv, std::size_t{1} << 40));
  EXPECT_FALSE(some.ours(operation::reduce, 1 << 20));
  EXPECT_FALSE(some.ours(operation::bcast, 0));
  for (std::size_t i = 0; i < operations; ++i) {
    EXPECT_TRUE(of("all").for_ranks(5).ours(static_cast<operation>(i), 100));
    EXPECT_FALSE(of("off").for_ranks(5).ours(static_cast<operation>(i), 100));
  }
}

TEST(settings, without_a_table_calls_are_ours_among_several_nodes_only) {
  const std::vector<int> one{3, 3, 3}, two{0, 0, 2};
  EXPECT_FALSE(of("auto").any_on(one));
  EXPECT_FALSE(of("auto").for_nodes(one).any());
  EXPECT_TRUE(of("auto").any_on(two));
  EXPECT_TRUE(of("auto").for_nodes(two).ours(operation::bcast, 1 << 20));
  EXPECT_TRUE(of("bcast").for_nodes(one).any());
  EXPECT_FALSE(of("off").any_on(two));
  EXPECT_FALSE(of("off").for_nodes(two).any());
}

TEST(settings, a_report_goes_with_any_choice) {
  EXPECT_TRUE(of("report").report);
  EXPECT_EQ(of("report").what, settings::kind::automatic);
  EXPECT_EQ(of("off,report").what, settings::kind::off);
  for (const char* both : {"report,bcast", "bcast,report"}) {
    EXPECT_TRUE(of(both).report);
    EXPECT_TRUE(of(both).for_ranks(5).ours(operation::bcast, 1));
  }
  EXPECT_FALSE(of("bcast").report);
}

TEST(settings, what_is_wrong_is_said_and_ignored) {
  for (const char* wrong :
       {"bcats", "bcast,", ",", "bcast all", "ALL", "reports", "bcast,,report"}) {
    EXPECT_NE(of(wrong).complaint.find("PLEAT_MPI_COLLECTIVES"), std::string::npos) << wrong;
    EXPECT_EQ(of(wrong).what, settings::kind::automatic) << wrong;
  }
  for (const char* wrong :
       {"blocks=0", "blocks=-1", "blocks=7x", "all,blocks=x", "blocks=99999999999999999999",
        "blocks=", "radix=1", "window=0", "window=257,all", "size=7", "off,bcast", "auto,all"}) {
    const settings read = of(wrong);
    EXPECT_NE(read.complaint.find("PLEAT_MPI_COLLECTIVES"), std::string::npos) << wrong;
    EXPECT_EQ(read.blocks + read.radix + read.how.window, 0U) << wrong;
  }
  const settings numbers = of("blocks=7,all,radix=3,window=256");
  EXPECT_EQ(numbers.complaint, "");
  EXPECT_EQ(numbers.blocks, 7U);
  EXPECT_EQ(numbers.radix, 3U);
  EXPECT_EQ(numbers.how.window, 256U);
  EXPECT_NE(read_settings({.table = "/nowhere/table"}).complaint.find("/nowhere/table"),
            std::string::npos);
  for (const char* fine : {"", "auto", "off", "all"}) EXPECT_EQ(of(fine).complaint, "") << fine;
}

TEST(settings, a_table_chooses_by_the_nearest_number_of_ranks) {
  settings read;
  EXPECT_TRUE(
      read_table("# measured\ncost 1e-6 2e-10 3e-10\nbcast 4 2^10-2^12 2^20-2^20\n"
                 "bcast 64 2^3-2^63 window 24 blocks 0.5\nreduce 4 window 3\n",
                 read));
  EXPECT_EQ(read.cost->per_byte, 2e-10);
  const choice few = read.for_ranks(5);
  EXPECT_FALSE(few.ours(operation::bcast, 1023));
  EXPECT_TRUE(few.ours(operation::bcast, 1024));
  EXPECT_TRUE(few.ours(operation::bcast, 8191));
  EXPECT_FALSE(few.ours(operation::bcast, 8192));
  EXPECT_TRUE(few.ours(operation::bcast, 1 << 20));
  EXPECT_FALSE(few.ours(operation::reduce, 1 << 20));
  EXPECT_FALSE(few.ours(operation::allreduce, 1 << 20));
  EXPECT_EQ(few.window(operation::bcast), choice().window(operation::bcast));
  EXPECT_EQ(few.window(operation::reduce), 3U);
  const choice many = read.for_ranks(40);
  EXPECT_TRUE(many.ours(operation::bcast, 8192));
  EXPECT_EQ(many.window(operation::bcast), 24U);
  constexpr std::size_t bytes = 100'000'000;
  choice by_cost;
  by_cost.cost = *read.cost;
  const auto blocks = [](const choice& by) {
    return static_cast<double>(best_blocks(by, operation::bcast, {bytes, bytes}, 40, bytes));
  };
  EXPECT_NEAR(blocks(many), blocks(by_cost) / 2, 1);
  read.how.window = 5;
  EXPECT_EQ(read.for_ranks(40).window(operation::bcast), 5U);
  EXPECT_TRUE(read.any_on({0, 0, 0}));
  // On one node, rows of other numbers of ranks measured nothing.
  EXPECT_TRUE(read.for_nodes({0, 0, 0, 0}).ours(operation::bcast, 1024));
  EXPECT_FALSE(read.for_nodes({0, 0, 0, 0, 0}).any());
  EXPECT_TRUE(read.for_nodes({0, 0, 1, 1, 1}).ours(operation::bcast, 1024));
}

TEST(settings, a_table_with_a_wrong_line_is_ignored) {
  for (const char* wrong :
       {"bcats 4 2^1-2^2", "bcast", "bcast 1", "bcast 4 2^5-2^4", "bcast 4 2^5", "bcast 4 2^1-2^64",
        "bcast 4 window", "bcast 4 window 257", "bcast 4 window x", "bcast 4 blocks 0", "cost 1 2",
        "cost 1 2 -3", "cost 1 2 3 4"}) {
    settings read;
    EXPECT_FALSE(read_table(std::string("bcast 8 2^1-2^2\n") + wrong + "\n", read)) << wrong;
    EXPECT_NE(read.complaint.find("line 2"), std::string::npos) << wrong;
    EXPECT_TRUE(read.table.empty()) << wrong;
  }
}

TEST(choice, blocks_are_cheapest_and_never_too_large) {
  const choice by;
  // The number with the least n − 1 + q rounds of α + β · m / n, looked for one by one.
  const auto time = [](std::size_t n, double bytes, std::size_t q) {
    const rank_message_cost cost;
    return static_cast<double>(n - 1 + q) *
           (cost.start + cost.per_byte * bytes / static_cast<double>(n));
  };
  for (const std::size_t p : {2U, 3U, 17U, 1000U}) {
    for (const std::size_t bytes : {1U, 1000U, 100'000U, 30'000'000U}) {
      const auto q = static_cast<std::size_t>(std::bit_width(p - 1));
      const std::size_t chosen = best_blocks(by, operation::bcast, {bytes, bytes}, p, bytes);
      for (std::size_t n = 1; n <= std::min<std::size_t>(bytes, 500); ++n) {
        EXPECT_LE(time(chosen, static_cast<double>(bytes), q),
                  1.1 * time(n, static_cast<double>(bytes), q));
      }
    }
  }
  constexpr std::size_t large = std::size_t{5} << 30;
  EXPECT_EQ(best_blocks(by, operation::bcast, {large, large}, 2, large), 5U);
  EXPECT_EQ(best_blocks(by, operation::reduce, {1 << 20, 1 << 20}, 1000, 3), 3U);
  EXPECT_EQ(best_blocks(by, operation::allgatherv, {1 << 20, 1 << 10}, 1000, 1 << 10), 1U);
}

TEST(choice, without_a_table_goes_by_blocks_and_the_cost_of_a_message) {
  const rank_message_cost cost;  // one message costs as much as 20,000 bytes
  choice by;
  by.cost = cost;
  choice some = by;
  for (std::size_t i = 0; i < operations; ++i) {
    some.sizes[i] = sizes_by_cost(cost, static_cast<operation>(i), 64);
  }
  EXPECT_FALSE(some.ours(operation::bcast, 1 << 10));
  EXPECT_TRUE(some.ours(operation::bcast, 1 << 20));
  for (const operation what : {operation::alltoall, operation::alltoallv, operation::alltoallw}) {
    EXPECT_TRUE(some.ours(what, std::size_t{64} * 10'000));
    EXPECT_FALSE(some.ours(what, std::size_t{64} * 40'000));
    EXPECT_EQ(sizes_by_cost(cost, what, 3), 0U);  // radix 2 would take as many rounds as radix 3
  }
  for (const operation what : {operation::scan, operation::gather, operation::scatterv}) {
    EXPECT_EQ(sizes_by_cost(cost, what, 64), 0U);
    EXPECT_FALSE(some.ours_at_every_size(what));
  }
  EXPECT_TRUE(of("gatherv").for_ranks(5).ours_at_every_size(operation::gatherv));
}

}  // namespace settings_test
}  // namespace pleat::preloaded
