// SPDX-License-Identifier: Apache-2.0
#include "sweep/journal.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "sweep/fields_json.hpp"
#include "sweep/resumption.hpp"
#include "unit/temporary_folder.hpp"

namespace pleat::bench {
namespace journal_test {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

class Journal : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path / name; }

  static std::string text_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }

  // Three cases, nine events.
  void make(const std::string& file) const {
    auto kept = journal::begin(file, {{"cases", {"a", "b", "c"}}});
    for (std::size_t i = 0; i < 9; ++i) kept.add(i % 3, {{"visit", true}, {"number", i}});
  }

 private:
  const temporary_folder folder_;
};

TEST_F(Journal, GivesBackWhatWasAdded) {
  make(path("j"));
  const auto kept = journal::go_on(path("j"));
  const auto& all = kept.contents();
  EXPECT_EQ(all.header.at("cases").size(), 3U);
  ASSERT_EQ(all.events.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(all.events[i].first, i % 3);
    EXPECT_EQ(all.events[i].second.at("number"), i);
  }
}

TEST_F(Journal, CutAnywhereItKeepsAllWholeLinesAndGoesOnBehindThem) {
  make(path("j"));
  const auto text = text_of(path("j"));
  const auto header = text.find('\n') + 1;
  for (std::size_t end = header; end <= text.size(); ++end) {
    write(path("cut"), text.substr(0, end));
    std::size_t whole = 0;
    {
      auto again = journal::go_on(path("cut"));
      whole = again.contents().events.size();
      again.add(2, {{"visit", true}});
    }
    EXPECT_EQ(static_cast<std::ptrdiff_t>(whole),
              std::count(text.begin() + static_cast<std::ptrdiff_t>(header),
                         text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    const auto longer = journal::go_on(path("cut"));
    ASSERT_EQ(longer.contents().events.size(), whole + 1) << end;
    EXPECT_EQ(longer.contents().events.back().first, 2U);
  }
}

TEST_F(Journal, CutInItsHeaderItIsBegunAnew) {
  make(path("j"));
  const auto text = text_of(path("j"));
  for (std::size_t end = 0; end <= text.find('\n'); ++end) {
    write(path("cut"), text.substr(0, end));
    EXPECT_EQ(journal::look_at(path("cut")), journal::found::begun) << end;
    make(path("cut"));
    EXPECT_EQ(text_of(path("cut")), text);
    std::filesystem::remove(path("cut"));
  }
}

TEST_F(Journal, IsWrittenByOneSweepAtATime) {
  auto first = journal::begin(path("j"), json::object());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(static_cast<void>(journal::go_on(path("j"))), usage_error);
    EXPECT_THROW(static_cast<void>(journal::begin(path("j"), json::object())), usage_error);
  }
  first.add(0, {{"visit", true}});
  const auto text = text_of(path("j"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(Journal, WhatIsNoneIsRefused) {
  make(path("j"));
  const auto text = text_of(path("j"));
  const auto second = text.find('\n') + 1;
  for (const auto& damaged : {std::string("{}\n"), std::string("no JSON\n"), text.substr(second),
                              text.substr(0, second) + "{\"case\":-1}\n",
                              text.substr(0, second) + "[]\n" + text.substr(second), text + text,
                              text.substr(0, second + 5) + "\n" + text.substr(second),
                              text.substr(0, second) + R"({"case":0,"deep":)" +
                                  std::string(200, '[') + std::string(200, ']') + "}\n"}) {
    write(path("bad"), damaged);
    EXPECT_THROW(static_cast<void>(journal::go_on(path("bad"))), usage_error) << damaged;
  }
  EXPECT_THROW(static_cast<void>(journal::go_on(path("absent"))), error);
}

TEST_F(Journal, OfOtherCasesOrAnotherMachineIsNotReplayed) {
  const json machine{{"processors", 2}};
  const json header{{"machine", machine},
                    {"arguments", fields_json(sweep_arguments{})},
                    {"cases", json::array({case_json(sweep_case{})})}};
  auto replayed = [&](const json& with, const std::string& event) {
    std::vector<case_record> records(1);
    journal_contents contents{with, {}};
    if (!event.empty()) contents.events.emplace_back(0, json::parse(event));
    const auto begun = header_from(with, "j");
    begun.replay(contents, "j", records);
    begun.require_machine(machine, "j");
    return records[0];
  };
  EXPECT_EQ(replayed(header, R"({"round":[["pleat",1,1,1]]})").visits, 1U);
  EXPECT_EQ(replayed(header, R"({"visit":true})").visits, 0U);  // it ended before its first sample
  auto other = header;
  other["machine"]["processors"] = 4;
  EXPECT_THROW(replayed(other, ""), usage_error);
  other = header;
  sweep_case one_more;
  one_more.program = "sort";
  other["cases"].push_back(case_json(one_more));
  EXPECT_THROW(replayed(other, ""), usage_error);
  for (const auto* const key : {"machine", "arguments", "cases"}) {
    for (const auto& nonsense : {json(3), json::array({1, 2}), json("x"), json()}) {
      other = header;
      other[key] = nonsense;
      EXPECT_THROW(replayed(other, ""), usage_error) << key << " " << nonsense;
    }
  }
  for (const auto* const event :
       {R"({"round":[["pleat"]]})", R"({"elapsed":"long"})", R"({"round":[["pleat",-1,1,1]]})",
        R"({"round":[["pleat",0,1,1]]})", R"({"round":[["pleat",1,1,0]]})", R"({"ready":3})"})
    EXPECT_THROW(replayed(header, event), usage_error) << event;
}

TEST_F(Journal, IsResumedWithWhatIsGivenAnewUnlessSamplesWouldDiffer) {
  journal_header begun{{}, {}, {}};
  begun.arguments.seconds = "0.001";
  begun.arguments.repetitions = "7";
  begun.arguments.axes.n = "64";
  begun.arguments.outputs.csv = "old.csv";
  sweep_arguments chosen;
  chosen.rivals = "tbb";
  chosen.time_limit = "60";
  chosen.outputs.csv = "new.csv";
  for (const std::string other : {"min-time", "rivals"})
    EXPECT_THROW(static_cast<void>(begun.changed(chosen, std::vector{other}, "j")), usage_error);
  // What is at its default was not given, and is as it was.
  auto expected = begun.arguments;
  EXPECT_EQ(begun.changed(chosen, {}, "j"), expected);
  expected.repetitions = "";
  expected.time_limit = "60";
  expected.outputs.csv = "new.csv";
  EXPECT_EQ(begun.changed(chosen, std::vector<std::string>{"time-limit", "csv", "resume"}, "j"),
            expected);
}

}  // namespace journal_test
}  // namespace pleat::bench
