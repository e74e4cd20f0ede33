// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_report.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "matrix_machine.hpp"

namespace matrix_report_test {

using namespace pleat::bench;

TEST(relation_of, tells_hardware_threads_from_cores) {
  const auto on = pleat::topology::synthetic("package:2 l3:2 core:2 pu:2");
  EXPECT_EQ(relation_of(on, 0, 1), "hardware threads of one core");
  EXPECT_EQ(relation_of(on, 0, 2), "cores within one L3");
  EXPECT_EQ(relation_of(on, 0, 4), "cores within one Package");
  EXPECT_EQ(relation_of(on, 0, 8), "cores within one Machine");
}

TEST(relations, are_sorted_by_nearness_and_count_every_pair) {
  const made_up_machine made("package:2 l3:2 core:2 pu:2");
  const auto found = relations(made.on, made.measured.pus(), made.measured.matrices.front());
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name, "hardware threads of one core");
  EXPECT_EQ(found[0].pairs, 8u);
  EXPECT_EQ(found[1].pairs, 4u * 4);
  EXPECT_EQ(found[2].pairs, 2u * 16);
  EXPECT_EQ(found[3].name, "cores within one Machine");
  EXPECT_EQ(found[3].pairs, 64u);
  for (const auto& one : found) {
    EXPECT_LE(one.least, one.median);
    EXPECT_LE(one.median, one.most);
  }
  EXPECT_DOUBLE_EQ(found[0].least, 110e-9);  // of PUs 0 and 1
}

TEST(nodes_of, take_one_thread_a_core_and_all_nodes_with_memory) {
  const auto on = pleat::topology::synthetic("numa:2 core:2 pu:2");
  const auto all = pleat::place(on, pleat::parse_placement("compact/pu")).processors;
  const auto nodes = nodes_of(on, all, std::size_t{64} << 20);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].pus, (std::vector<unsigned>{4, 5, 6, 7}));
  EXPECT_EQ(nodes[1].cores, (std::vector<unsigned>{4, 6}));
  const auto some = nodes_of(on, std::span(all).first(2), 0);
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].cores, (std::vector<unsigned>{0}));
  EXPECT_TRUE(some[1].pus.empty());  // memory alone
  EXPECT_GT(some[1].read_bytes, 0u);
}

TEST(matrix_text, names_threads_of_cores_that_have_several) {
  const made_up_machine threads("numa:2 core:2 pu:2"), cores("numa:2 core:2");
  const auto text = matrix_text(threads.on, threads.measured, {});
  EXPECT_NE(text.find("core 3 thread 1 = 7"), std::string::npos) << text;
  EXPECT_NE(text.find("hardware threads of one core"), std::string::npos) << text;
  EXPECT_NE(text.find("95 % intervals: ± 10.0 %"), std::string::npos) << text;
  EXPECT_EQ(matrix_text(cores.on, cores.measured, {}).find("thread"), std::string::npos);
}

TEST(matrix_json, has_every_figure) {
  const made_up_machine made("numa:2 core:2 pu:2");
  const auto document = matrix_json(made.on, made.measured);
  EXPECT_EQ(document.at("stopped"), "rounds");
  EXPECT_EQ(document.at("processors").size(), 8u);
  EXPECT_EQ(document.at("processors")[5].at("thread"), 1);
  EXPECT_EQ(document.at("nodes")[1].at("threads"), nlohmann::json({4, 6}));
  ASSERT_EQ(document.at("matrices").size(), 4u);
  const auto& lines = document.at("matrices")[0];
  EXPECT_EQ(lines.at("unit"), "s");
  EXPECT_EQ(lines.at("rows")[7], "7");
  EXPECT_TRUE(lines.at("median")[3][3].is_null());
  EXPECT_EQ(lines.at("samples")[3][3], 0);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      const double figure = 1e-9 * static_cast<double>(made.figure_of(row, column));
      EXPECT_EQ(lines.at("median")[row][column], figure);
      EXPECT_EQ(lines.at("interval_low")[row][column], figure * 0.9);
      EXPECT_EQ(lines.at("interval_high")[row][column], figure * 1.1);
      EXPECT_EQ(lines.at("samples")[row][column], 15);
    }
  }
  EXPECT_EQ(document.at("relations")[0].at("pairs"), 4);
}

TEST(what_is_coarse, counts_pairs_once) {
  made_up_machine made("numa:2 core:2");
  EXPECT_EQ(what_is_coarse(made.measured), "");
  made.measured.complete = false;
  auto& lines = made.measured.matrices.front();
  lines.cells[0 * 4 + 1].reset();
  lines.cells[1 * 4 + 0].reset();
  lines.cells[0 * 4 + 2]->bounds.reset();
  lines.cells[2 * 4 + 0]->bounds.reset();
  EXPECT_EQ(what_is_coarse(made.measured),
            "1 of 18 pairs not measured, too few samples for an interval of 1");
}

}  // namespace matrix_report_test
