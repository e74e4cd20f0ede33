// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "probe/probe_report.hpp"
#include "unit/message_of.hpp"

namespace model_file_test {

using pleat::machine_model, pleat::bench::parse_model;

std::string refusal(const std::string& text) {
  return message_of<pleat::usage_error>([&] { (void)parse_model(text, "mine.json"); });
}

TEST(model_file, is_read_as_it_is_written) {
  const machine_model model = parse_model(
      R"({"name": "two sockets", "g": [4, 1.5, 1e0], "l": [900, 0, 1.25e2], "notes": [null]})",
      "mine.json");
  EXPECT_EQ(model.name, "two sockets");
  EXPECT_EQ(model.g, (std::vector<double>{4, 1.5, 1}));
  EXPECT_EQ(model.l, (std::vector<double>{900, 0, 125}));
}

TEST(model_file, may_break_the_conditions_of_the_theorem) {
  EXPECT_EQ(refusal(R"({"name": "odd", "g": [1, 2], "l": [1, 9]})"), "");
}

TEST(model_file, says_in_one_line_what_is_wrong_and_what_to_do) {
  std::string too_many = "1";
  for (int i = 1; i < 65; ++i) too_many += ",1";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "empty"},
      {"{\"name\":\n\"x\",\n\"g\":", "cut short"},
      {"\x01\x02", "no JSON"},
      {R"({"name": "x", "g": [NaN], "l": [1]})", "no JSON"},
      {R"({"name": "x", "g": [1e999], "l": [1]})", "too large"},
      {"[1, 2]", "no object"},
      {R"({"g": [1], "l": [1]})", "has no \"name\""},
      {R"({"name": "x", "g": [1]})", "has no \"l\""},
      {R"({"name": 7, "g": [1], "l": [1]})", "name is no text"},
      {R"({"name": "", "g": [1], "l": [1]})", "name is empty"},
      {R"({"name": "x", "g": 1, "l": [1]})", "g is no list"},
      {R"({"name": "x", "g": [], "l": []})", "g has 0 levels"},
      {R"({"name": "x", "g": [2, 1], "l": [3]})", "has 2 levels of g and 1 of l"},
      {R"({"name": "x", "g": [2, "1"], "l": [3, 3]})", "g[1] is no number"},
      {R"({"name": "x", "g": [2, 1], "l": [3, null]})", "l[1] is no number"},
      {R"({"name": "x", "g": [true], "l": [3]})", "g[0] is no number"},
      {R"({"name": "x", "g": [0], "l": [3]})", "g[0] is no time above zero"},
      {R"({"name": "x", "g": [2], "l": [-0.5]})", "l[0] is no number from zero on"},
      {R"({"name": "x", "g": [)" + too_many + R"(], "l": [1]})", "g has 65 levels"},
  };
  for (const auto& [text, expected] : wrong) {
    const std::string said = refusal(text);
    EXPECT_EQ(said.find("mine.json: "), 0U) << text << ": " << said;
    EXPECT_NE(said.find(expected), std::string::npos) << text << ": " << said;
    EXPECT_NE(said.find(';'), std::string::npos) << "no advice: " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

}  // namespace model_file_test
