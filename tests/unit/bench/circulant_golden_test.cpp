// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pleat/collectives/circulant.hpp>

namespace circulant_golden_test {

// Tables 1–3 of Träff, Round-optimal n-Block Broadcast Schedules in Logarithmic Time, 2024.
TEST(circulant_graph, has_the_tables_of_the_paper) {
  std::ifstream file(PLEAT_TEST_DATA "/circulant-schedules.json");
  const auto tables = nlohmann::json::parse(file);
  ASSERT_EQ(tables.size(), 3u);
  for (const auto& [processors, table] : tables.items()) {
    const pleat::circulant_graph graph(std::stoul(processors));
    const auto skips = graph.skips();
    EXPECT_EQ(std::vector<std::uint32_t>(skips.begin(), skips.end()),
              table["skip"].get<std::vector<std::uint32_t>>());
    std::vector<int> baseblocks;
    std::vector<std::vector<int>> recv(graph.rounds());
    std::vector<std::vector<int>> send(graph.rounds());
    for (std::uint32_t r = 0; r < graph.processors(); ++r) {
      const auto own = graph.schedule(r);
      baseblocks.push_back(own.baseblock);
      for (unsigned k = 0; k < graph.rounds(); ++k) {
        recv[k].push_back(own.recv[k]);
        send[k].push_back(own.send[k]);
      }
    }
    EXPECT_EQ(baseblocks, table["baseblock"].get<std::vector<int>>()) << processors;
    EXPECT_EQ(recv, table["recv"].get<std::vector<std::vector<int>>>()) << processors;
    EXPECT_EQ(send, table["send"].get<std::vector<std::vector<int>>>()) << processors;
  }
}

}  // namespace circulant_golden_test
