// SPDX-License-Identifier: Apache-2.0
#include "sweep/journal.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>

#include "sweep/resumption.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

class Journal : public testing::Test {
 protected:
  Journal() { fs::create_directory(folder_); }
  ~Journal() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  static std::string text_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }

  // Three cases, nine events.
  void make(const std::string& file) const {
    journal kept(file, {{"cases", {"a", "b", "c"}}});
    for (std::size_t i = 0; i < 9; ++i) kept.add(i % 3, {{"visit", true}, {"number", i}});
  }

 private:
  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("pleat_journal_" + std::to_string(::getpid()));
};

TEST_F(Journal, GivesBackWhatWasAdded) {
  make(path("j"));
  const auto all = journal::read(path("j"));
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
    const auto whole = journal::read(path("cut")).events.size();
    EXPECT_EQ(static_cast<std::ptrdiff_t>(whole),
              std::count(text.begin() + static_cast<std::ptrdiff_t>(header),
                         text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    {
      journal again{fs::path(path("cut"))};
      again.add(2, {{"visit", true}});
    }
    const auto longer = journal::read(path("cut"));
    ASSERT_EQ(longer.events.size(), whole + 1) << end;
    EXPECT_EQ(longer.events.back().first, 2U);
  }
}

TEST_F(Journal, WhatIsNoneIsRefused) {
  make(path("j"));
  const auto text = text_of(path("j"));
  const auto second = text.find('\n') + 1;
  for (const auto& damaged :
       {std::string(), std::string("{}\n"), std::string("no JSON\n"), text.substr(second),
        text.substr(0, second - 1), text.substr(0, second) + "{\"case\":-1}\n",
        text.substr(0, second) + "[]\n" + text.substr(second), text + text,
        text.substr(0, second + 5) + "\n" + text.substr(second)}) {
    write(path("bad"), damaged);
    EXPECT_THROW(static_cast<void>(journal::read(path("bad"))), usage_error) << damaged;
  }
  EXPECT_THROW(static_cast<void>(journal::read(path("absent"))), usage_error);
}

TEST_F(Journal, NeverReplacesAFile) {
  write(path("mine"), "precious");
  EXPECT_THROW(journal(path("mine"), json::object()), usage_error);
  EXPECT_EQ(text_of(path("mine")), "precious");
}

TEST_F(Journal, IsFoundByItsOwnNameOrThatOfTheResults) {
  auto at = [&](const std::string& name, const std::string& resume) {
    return place_of_journal(name.empty() ? "" : path(name), resume.empty() ? "" : path(resume));
  };
  EXPECT_EQ(at("r.json", "").file, path("r.json.part"));
  EXPECT_TRUE(place_of_journal("", "").file.empty());
  EXPECT_TRUE(place_of_journal("-", "").file.empty());

  // Nothing is there yet: the sweep begins.
  EXPECT_EQ(at("", "r.json").file, path("r.json.part"));
  EXPECT_EQ(at("", "r.json").json, path("r.json"));
  EXPECT_EQ(at("r.json", "own").file, path("own"));
  EXPECT_FALSE(at("r.json", "own").begun);

  make(path("r.json.part"));
  for (const auto* const name : {"r.json", "r.json.part"}) {
    EXPECT_TRUE(at("", name).begun) << name;
    EXPECT_EQ(at("", name).file, path("r.json.part"));
    EXPECT_EQ(at("", name).json, path("r.json"));
  }
  EXPECT_EQ(at("other.json", "r.json.part").json, path("other.json"));

  write(path("done.json"), "{}");
  EXPECT_TRUE(at("", "done.json").finished);
  EXPECT_THROW(static_cast<void>(at("r.json", "done.json")), usage_error);
}

TEST_F(Journal, OfOtherCasesOrAnotherMachineIsNotReplayed) {
  const json machine{{"processors", 2}};
  const json header{{"machine", machine}, {"cases", {sweep_case{}.name()}}};
  auto replayed = [&](const json& with, const std::string& event) {
    std::vector<case_record> records(1);
    journal_contents contents{with, {}};
    if (!event.empty()) contents.events.emplace_back(0, json::parse(event));
    replay(contents, machine, "j", records);
    return records[0];
  };
  EXPECT_EQ(replayed(header, R"({"visit":true})").visits, 1U);
  auto other = header;
  other["machine"]["processors"] = 4;
  EXPECT_THROW(replayed(other, ""), usage_error);
  other = header;
  other["cases"].push_back("one more");
  EXPECT_THROW(replayed(other, ""), usage_error);
  EXPECT_THROW(replayed(header, R"({"round":[["pleat"]]})"), usage_error);
  EXPECT_THROW(replayed(header, R"({"elapsed":"long"})"), usage_error);
}

}  // namespace
}  // namespace pleat::bench
