// SPDX-License-Identifier: Apache-2.0
//
// What `pleat place` says, against counts done by hand.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

TEST(program_traffic, of_two_vps_a_processor_stays_in_it_or_on_the_first_node) {
  const auto traffic = traffic_on("numa:2 core:4 pu:2", "compact", 4);
  EXPECT_EQ(by(traffic.all), (counts{8, 0, 32, 0, 0}));
  EXPECT_DOUBLE_EQ(traffic.all.local(), 1);
  EXPECT_EQ(traffic.between_nodes, (std::vector<counts>{{40}}));
}

TEST(program_traffic, tells_hardware_threads_of_a_core_from_cores) {
  // Of 16 processors the first 8 have a VP: two on each core of node 0.
  const auto traffic = traffic_on("numa:2 core:4 pu:2", "compact/pu", 16);
  EXPECT_EQ(traffic.processors, 8u);
  EXPECT_EQ(by(traffic.all), (counts{0, 8, 32, 0, 0}));
}

TEST(program_traffic, of_a_scattered_placement_is_where_its_processors_are) {
  // Ranks go round the nodes: r xor 1 is on the other, r xor 2 and r xor 4 on the same one.
  const auto traffic = traffic_on("numa:2 core:4 pu:2", "scatter", 8);
  EXPECT_EQ(by(traffic.all), (counts{0, 0, 32, 8, 0}));
  EXPECT_EQ(by(traffic.of_label[2]), (counts{0, 0, 0, 8, 0}));
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

TEST(program_traffic, of_a_program_that_sends_nothing_is_local) {
  const auto found = found_on("numa:2 core:1", "compact", 2);
  const auto traffic =
      traffic_of("silent", 4,
                 pleat::evaluate(4, [](pleat::vp& me) -> pleat::task<> { co_await me.sync(1); },
                                 {.processors = 2}),
                 found.where);
  EXPECT_EQ(traffic.all.total(), 0u);
  EXPECT_DOUBLE_EQ(traffic.all.local(), 1);
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

TEST(block_places, of_memory_only_nodes_are_local_where_their_processors_are) {
  const auto machine = topology::xml(std::string(PLEAT_TEST_DATA) + "/memory_kinds.xml");
  const auto found = [&](const char* memory) {
    return find_places(machine, {.processors = 4, .place = pleat::placement_request{}},
                       pleat::parse_memory_policy(memory));
  };
  const auto is = [&](const char* memory, double local, double distance) {
    for (const block_place& one : found(memory).blocks) {
      EXPECT_DOUBLE_EQ(one.local, local) << memory;
      EXPECT_DOUBLE_EQ(one.distance.value(), distance) << memory;
    }
  };
  is("hbm", 1, 13);
  is("cxl", 0, 20);
  is("remote", 0, 23);
  is("interleave", 0.4, (10 + 13 + 21 + 23 + 20) / 5.0);
  const std::string text = place_text(found("hbm"));
  for (const char* part : {"5 NUMA nodes, 3 of them memory only", "node 2 (hbm)", "hbm: 100 %"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

TEST(barrier_reach, is_the_widest_of_a_label_s_clusters) {
  const auto whole = found_on("package:2 numa:2 core:2 pu:1", "compact", 8).barriers;
  ASSERT_EQ(whole.size(), 3u);
  const auto is = [](const barrier_reach& one, std::size_t clusters, std::size_t processors,
                     std::size_t cores, std::size_t nodes, std::size_t packages,
                     const std::string& crosses) {
    EXPECT_EQ(one.clusters, clusters);
    EXPECT_EQ(one.processors, processors);
    EXPECT_EQ(one.cores, cores);
    EXPECT_EQ(one.nodes, nodes);
    EXPECT_EQ(one.packages, packages);
    EXPECT_EQ(one.crosses(), crosses);
  };
  is(whole[0], 1, 8, 8, 4, 2, "packages");
  is(whole[1], 2, 4, 4, 2, 1, "nodes");
  is(whole[2], 4, 2, 2, 1, 1, "cores");
  const auto six = found_on("package:2 numa:1 core:6 pu:1", "compact", 12).barriers;
  is(six[1], 2, 6, 6, 1, 1, "cores");
  is(six[3], 8, 2, 2, 1, 1, "cores");  // 1.5 processors each
  const auto three = found_on("package:3 numa:1 core:2 pu:1", "compact", 6).barriers;
  is(three[1], 2, 3, 3, 2, 2, "packages");
  const auto threads = found_on("numa:2 core:2 pu:2", "compact/pu", 8).barriers;
  is(threads[1], 2, 4, 2, 1, 1, "cores");
  is(threads[2], 4, 2, 1, 1, 1, "threads");
  is(found_on("core:2", "compact", 1).barriers.at(0), 1, 1, 1, 1, 1, "nothing");
}

TEST(place_report, says_the_same_to_people_and_programs) {
  place_findings found = found_on("numa:2 core:4 pu:2", "compact", 8, "interleave/4k");
  found.traffic.push_back(traffic_on("numa:2 core:4 pu:2", "compact", 8));
  const auto report = place_json(found);
  EXPECT_EQ(report["context"]["memory"], "interleave");
  EXPECT_EQ(report["context"]["pages"], "4k");
  const auto& place = report["place"];
  EXPECT_EQ(place["processors"].size(), 8u);
  EXPECT_EQ(place["processors"][5]["numa"], 1);
  EXPECT_EQ(place["processors"][5]["pages"]["0"], 0.5);
  EXPECT_TRUE(place["processors"][5]["distance"].is_null());
  EXPECT_EQ(place["barriers"][0]["crosses"], "nodes");
  EXPECT_EQ(place["traffic"][0]["messages"], 40);
  EXPECT_EQ(place["traffic"][0]["package"], 8);
  EXPECT_EQ(place["traffic"][0]["labels"][0]["remote"], 1);
  const std::string text = place_text(found);
  for (const char* part :
       {"interleave/4k: 50.0 %", "nodes 0-1", "sync(0)", "exchange", "80.0 %", "20.0 %"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
}

}  // namespace place_test
