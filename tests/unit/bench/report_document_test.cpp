// SPDX-License-Identifier: Apache-2.0
//
// Documents that lack something, or have something of another kind, are refused in one line or are
// documents that can be shown: whatever is changed in them.
#include "report/report_document.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "report/json_file.hpp"
#include "report/sweep_file.hpp"
#include "unit/message_of.hpp"

namespace report_document_test {

using namespace pleat::bench;
using json = nlohmann::ordered_json;

const json matrix = json::parse(R"({"context": {}, "matrices": [{"name": "line_latency",
  "title": "Latency", "unit": "s", "rows": ["0", "1"], "columns": ["0", "1"],
  "median": [[null, 4e-8], [4e-8, null]], "interval_low": [[null, 3e-8], [3e-8, null]],
  "interval_high": [[null, 5e-8], [5e-8, null]]}]})");

const json topology = json::parse(R"({"context": {}, "topology": {
  "processors": [{"rank": 0, "core": 0, "pu": 0, "numa": 0, "package": 0},
                 {"rank": 1, "core": 1, "pu": 1, "numa": 0, "package": 0}],
  "clusters": [{"level": 0, "index": 0, "first": 0, "size": 2, "object": "L3"},
               {"level": 1, "index": 0, "first": 0, "size": 1, "object": "PU"},
               {"level": 1, "index": 1, "first": 1, "size": 1, "object": "PU"}]}})");

const json timeline = json::parse(R"({"traceEvents": [
  {"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": "pleat: sort"}},
  {"ph": "M", "pid": 1, "tid": 0, "name": "thread_name", "args": {"name": "processor 0, PU 0"}},
  {"ph": "X", "pid": 1, "tid": 0, "name": "waiting", "ts": 1, "dur": 2.5}]})");

json sweep() {
  json entry = json::parse(R"({"name": "a", "run_name": "a", "library": "pleat",
    "program": "sort", "type": "u64", "distribution": "random", "n": 1024, "processors": 2,
    "place": "compact", "memory": "first-touch", "pages": "thp", "wait": "auto",
    "hardware_threads": "one", "scaling": "strong", "per_processor": 0, "run_type": "iteration",
    "repetitions": 1, "repetition_index": 0, "real_time": 1.5, "time_unit": "ms"})");
  json median = entry;
  median.erase("repetition_index");
  median.update(json::parse(R"({"run_type": "aggregate", "aggregate_name": "median",
    "interval_low_s": 1e-3, "interval_high_s": 2e-3, "stopped": "precision", "speedup": 1,
    "efficiency": 0.5, "predicted_s": 2e-3, "memory_pages":
    {"page_bytes": 4096, "on_node": {"0": 7}, "absent": 0, "astray": 0}})"));
  json machine = topology["topology"];
  return {{"context", {{"host_name", "x"}, {"pleat", machine}}},
          {"benchmarks", json::array({entry, median})}};
}

// The documents with one value each replaced or, where it is in an object, left out.
std::vector<json> changed(const json& document) {
  const std::vector<json> others{
      nullptr, -1, 0,    1.5,           4294967297,     1e300,
      "x",     "", true, json::array(), json::object(), json::array({nullptr})};
  std::vector<json> all;
  const json flat = document.flatten();
  for (const auto& [pointer, old] : flat.items()) {
    for (json::json_pointer at(pointer); !at.empty(); at.pop_back()) {
      for (const auto& other : others) {
        json one = document;
        one[at] = other;
        all.push_back(std::move(one));
      }
      json without = document;
      auto& in = without[at.parent_pointer()];
      if (in.is_object()) in.erase(at.back());
      all.push_back(std::move(without));
    }
  }
  return all;
}

void show(const report_document& document) {
  if (document.kind != document_kind::sweep) return;
  const auto read = sweep_from(document.content, document.file);
  static_cast<void>(scaling_text(read));
  if (read.cases.front().measured()) {
    EXPECT_FALSE(comparison_text(compare_sweeps(read, read)).empty());
  }
}

TEST(report_document, what_was_changed_is_refused_in_one_line_or_can_be_shown) {
  std::size_t refused = 0, taken = 0;
  for (const auto& document : {matrix, topology, timeline, sweep()}) {
    show(document_from(document, "f.json"));
    for (const auto& one : changed(document)) {
      try {
        show(document_from(one, "f.json"));
        ++taken;
      } catch (const pleat::usage_error& failure) {
        const std::string said = failure.what();
        EXPECT_TRUE(said.starts_with("f.json: ") && said.find('\n') == std::string::npos) << said;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, taken);
}

std::string refusal(const json& document) {
  return message_of([&] { static_cast<void>(document_from(document, "f.json")); });
}

TEST(report_document, the_place_of_what_is_wrong_is_named) {
  EXPECT_EQ(refusal({{"matrices", {1, nullptr}}}),
            "f.json: matrices[0] is no object; give a file that pleat matrix --json wrote");
  json one = matrix;
  one["matrices"][0].erase("median");
  EXPECT_NE(refusal(one).find("matrices[0] has no \"median\""), std::string::npos) << refusal(one);
  one = matrix;
  one["matrices"][0]["rows"] = "x";
  EXPECT_NE(refusal(one).find("matrices[0].rows is no list"), std::string::npos) << refusal(one);
  one = sweep();
  one["context"]["pleat"] = nullptr;
  EXPECT_NE(refusal(one).find("context.pleat"), std::string::npos) << refusal(one);
  EXPECT_NE(refusal({{"topology", json::object()}, {"context", json::object()}})
                .find("topology has no \"processors\""),
            std::string::npos);
  one = topology;
  one["topology"]["clusters"][2]["first"] = 2U;
  EXPECT_NE(refusal(one).find("topology.clusters[2] is of processors that are not there"),
            std::string::npos);
}

TEST(report_document, a_sweep_with_an_entry_twice_is_refused) {
  for (const std::size_t which : {0, 1}) {
    json twice = sweep();
    twice["benchmarks"].push_back(twice["benchmarks"][which]);
    EXPECT_NE(refusal(twice).find("benchmarks[2] is a second "), std::string::npos)
        << refusal(twice);
    // Another library in the same case is another case, by its name.
    twice["benchmarks"][2]["run_name"] = "a/library:std";
    twice["benchmarks"][2]["library"] = "std";
    EXPECT_EQ(refusal(twice), "");
    twice["benchmarks"][2]["run_name"] = "a";
    EXPECT_NE(refusal(twice).find("benchmarks[2]"), std::string::npos) << refusal(twice);
  }
}

}  // namespace report_document_test
