// SPDX-License-Identifier: Apache-2.0
#include "topology/topology_report.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace topology_report_test {

using pleat::cluster_tree;
using pleat::topology;

struct rendered {
  std::string text;
  nlohmann::json json;
};

rendered render(const topology& machine, const char* policy = "compact",
                std::optional<unsigned> processors = {}) {
  pleat::machine_options asked;
  set_place(asked, policy);
  const auto placed = place(machine, *asked.place, processors);
  const cluster_tree clusters(machine, placed);
  return {pleat::bench::topology_text(machine, asked, placed, clusters),
          pleat::bench::topology_json(machine, asked, placed, clusters)};
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(topology_report, json_lists_processors_and_clusters) {
  const auto json = render(topology::synthetic("numa:2 l3:2 core:4 pu:2")).json;
  const auto& machine = json.at("topology");
  ASSERT_EQ(machine.at("processors").size(), 16u);
  EXPECT_EQ(machine.at("processors")[9],
            nlohmann::json({{"rank", 9}, {"core", 9}, {"pu", 18}, {"numa", 1}, {"package", 0}}));
  ASSERT_EQ(machine.at("clusters").size(), 1u + 2u + 4u + 8u + 16u);
  EXPECT_EQ(
      machine.at("clusters")[2],
      nlohmann::json(
          {{"level", 1}, {"index", 1}, {"first", 8}, {"size", 8}, {"object", "NUMANode L#1"}}));
  EXPECT_EQ(json.at("context").at("machine").at("bindable"), false);
  EXPECT_EQ(json.at("context").at("machine").at("allowed_cores"), 16);
  EXPECT_EQ(json.at("context").at("placement").at("policy"), "compact");
}

TEST(topology_report, json_of_every_shape_survives_a_round_trip) {
  for (const char* const shape : {"pu:1", "core:6", "package:2 core:3", "group:2 numa:2 core:2"}) {
    const auto json = render(topology::synthetic(shape), "spread", 3u).json;
    EXPECT_EQ(nlohmann::json::parse(json.dump()), json) << shape;
  }
}

TEST(topology_report, text_shows_machine_tree_processors_and_clusters) {
  const auto text = render(topology::synthetic("numa:2 l3:2 core:2 pu:2")).text;
  for (const char* const part :
       {"8 cores (16 PUs)", "2 NUMA nodes", "dry run", "synthetic numa:2 l3:2 core:2 pu:2",
        "L3 L#3", "P#14", "8 processors, placed compact", "Clusters of M(8)", "sync(2)"})
    EXPECT_TRUE(contains(text, part)) << part << " is missing in\n" << text;
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find(" \n"), std::string::npos) << "trailing blanks";
}

TEST(topology_report, restrictions_are_told_with_their_cause) {
  const auto machine = topology::xml(std::filesystem::path(PLEAT_TEST_DATA) / "restricted.xml");
  const auto [text, json] = render(machine);
  EXPECT_TRUE(contains(text, "4 cores, 2 allowed by cpuset"));
  EXPECT_TRUE(contains(text, "not allowed"));
  EXPECT_EQ(json.at("context").at("machine").at("restrictions")[0].at("by"), "cpuset");
}

TEST(topology_report, every_node_is_listed_with_what_is_known_of_it) {
  const auto machine = topology::xml(std::filesystem::path(PLEAT_TEST_DATA) / "memory_kinds.xml");
  const auto [text, json] = render(machine);
  EXPECT_TRUE(contains(text, "5 NUMA nodes, 3 of them memory only"));
  EXPECT_TRUE(contains(text, "839 GB/s")) << text;
  const auto& nodes = json.at("context").at("machine").at("memory_nodes");
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[1], nlohmann::json({{"node", 1},
                                      {"kind", "hbm"},
                                      {"memory_only", true},
                                      {"allowed", true},
                                      {"bytes", std::uint64_t{4} << 30},
                                      {"local_pus", {2, 3}},
                                      {"bytes_per_second", 800'000.0 * (1 << 20)},
                                      {"latency_s", 110 * 1e-9},
                                      {"distance_from", {{"0", 23}, {"3", 13}}}}));
  EXPECT_EQ(nodes[4].at("local_pus"), nlohmann::json::array());
  const auto silent = render(topology::synthetic("numa:2 core:2")).json;
  const auto& far = silent.at("context").at("machine").at("memory_nodes")[1];
  EXPECT_EQ(far.at("kind"), "unknown");
  EXPECT_TRUE(far.at("bytes_per_second").is_null());
  EXPECT_TRUE(far.at("distance_from").at("0").is_null());
  EXPECT_EQ(far.at("distance_from").at("1"), 10);
}

TEST(topology_report, oversubscription_is_told_with_advice) {
  const auto [text, json] = render(topology::synthetic("core:2"), "compact", 3u);
  EXPECT_TRUE(contains(text, "Oversubscribed: 3 processors share 2 PUs"));
  EXPECT_TRUE(contains(text, "ask for"));
  EXPECT_EQ(json.at("context").at("placement").at("oversubscribed"), true);
}

TEST(topology_report, hybrid_machines_are_told_of_the_fast_cores) {
  const auto text =
      render(topology::xml(std::filesystem::path(PLEAT_TEST_DATA) / "hybrid.xml")).text;
  EXPECT_TRUE(contains(text, "--place p-cores"));
}

}  // namespace topology_report_test
