// SPDX-License-Identifier: Apache-2.0
//
// What `pleat place` says, against counts done by hand.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>

#include "place/place_report.hpp"

namespace place_test {

using namespace pleat::bench;
using pleat::topology;
using counts = std::vector<std::uint64_t>;

place_findings found_on(const char* machine, const char* place, unsigned processors,
                        const char* memory = "first-touch") {
  return find_places(topology::synthetic(machine),
                     {.processors = processors, .place = pleat::parse_placement(place)},
                     pleat::parse_memory_policy(memory));
}

// Each of 8 VPs sends one message to r xor 4, three to r xor 2, one to r xor 1: 40 in all.
pleat::task<> exchange(pleat::vp& me) {
  me.send(me.rank() ^ 4U, 1);
  co_await me.sync(0);
  for (int i = 0; i < 3; ++i) me.send(me.rank() ^ 2U, 1);
  co_await me.sync(1);
  me.send(me.rank() ^ 1U, 1);
  co_await me.sync(2);
}

program_traffic traffic_on(const char* machine, const char* place, unsigned processors) {
  const auto found = found_on(machine, place, processors);
  return traffic_of("exchange", 8, pleat::evaluate(8, exchange, {.processors = processors}),
                    found.where);
}

counts by(const message_counts& of) { return {of.by.begin(), of.by.end()}; }

TEST(program_traffic, of_a_core_for_each_vp_crosses_nodes_as_its_labels_say) {
  const auto traffic = traffic_on("numa:2 core:4 pu:2", "compact", 8);
  EXPECT_EQ(traffic.n, 8u);
  EXPECT_EQ(traffic.v, 8u);
  EXPECT_EQ(traffic.processors, 8u);
  EXPECT_EQ(by(traffic.all), (counts{0, 0, 32, 8, 0}));
  EXPECT_DOUBLE_EQ(traffic.all.local(), 0.8);
  EXPECT_EQ(by(traffic.of_label[0]), (counts{0, 0, 0, 8, 0}));
  EXPECT_EQ(by(traffic.of_label[1]), (counts{0, 0, 24, 0, 0}));
  EXPECT_EQ(by(traffic.of_label[2]), (counts{0, 0, 8, 0, 0}));
  EXPECT_EQ(traffic.supersteps, (counts{1, 1, 1}));
  EXPECT_EQ(traffic.nodes, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(traffic.between_nodes, (std::vector<counts>{{16, 4}, {4, 16}}));
}

TEST(program_traffic, of_an_uneven_folding_is_counted_pair_by_pair) {
  // 8 VPs on 6 processors: 0 and 1 on the first, 4 and 5 on the fourth. Node 0 has the VPs 0 to 2,
  // node 1 has 3 to 5, and node 2, which is of another package, has 6 and 7.
  const auto traffic = traffic_on("package:2 numa:2 core:2 pu:1", "compact", 6);
  EXPECT_EQ(by(traffic.of_label[0]), (counts{0, 0, 0, 4, 4}));
  EXPECT_EQ(by(traffic.of_label[1]), (counts{0, 0, 6, 6, 12}));
  EXPECT_EQ(by(traffic.of_label[2]), (counts{4, 0, 2, 2, 0}));
  EXPECT_EQ(by(traffic.all), (counts{4, 0, 8, 12, 16}));
  EXPECT_DOUBLE_EQ(traffic.all.local(), 0.3);
  EXPECT_EQ(traffic.between_nodes, (std::vector<counts>{{8, 6, 1}, {6, 2, 7}, {1, 7, 2}}));
}

TEST(block_places, have_the_shares_and_distances_of_the_policy) {
  const auto of = [](const char* memory) {
    std::vector<std::pair<double, std::optional<double>>> shares;
    for (const block_place& one :
         found_on("package:2 numa:2 core:2 pu:1", "compact", 6, memory).blocks)
      shares.emplace_back(one.local, one.distance);
    return shares;
  };
  using all = std::vector<std::pair<double, std::optional<double>>>;
  constexpr std::nullopt_t unknown = std::nullopt;  // nobody tells distances of this machine
  EXPECT_EQ(of("first-touch"), all(6, {1, 10}));
  EXPECT_EQ(of("interleave"), all(6, {0.25, unknown}));
  EXPECT_EQ(of("weighted-interleave"), all(6, {0.25, unknown}));
  EXPECT_EQ(of("remote"), all(6, {0, unknown}));
  EXPECT_EQ(of("master"),
            (all{{1, 10}, {1, 10}, {0, unknown}, {0, unknown}, {0, unknown}, {0, unknown}}));
  EXPECT_EQ(of("bind:2"),
            (all{{0, unknown}, {0, unknown}, {0, unknown}, {0, unknown}, {1, 10}, {1, 10}}));
  EXPECT_THROW((void)of("bind:4"), pleat::environment_error);
}

}  // namespace place_test
