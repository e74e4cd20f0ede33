// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare/rivals_program.hpp"

namespace comparison_report_test {

using json = nlohmann::ordered_json;

json entry(const char* rival, const json& ratio) {
  return {{"work", "reverse"}, {"measure", "all"},
          {"n", 16},           {"type", "u64"},
          {"processors", 2},   {"repetitions", 11},
          {"ours_s", 1e-7},    {"ours_quartiles_s", {{"low", 1e-7}, {"high", 1e-7}}},
          {"rival", rival},    {"rival_version", "1"},
          {"rival_s", 1e-2},   {"rival_quartiles_s", {{"low", 1e-7}, {"high", 1e-2}}},
          {"ratio", ratio}};
}

TEST(comparison_report, names_candidates_without_a_ratio_and_what_to_do) {
  json unsteady = entry("openmp", nullptr);
  unsteady["unsteady"] = {"openmp"};
  const auto text = pleat::bench::comparison_text({entry("tbb", 2.5), unsteady});
  EXPECT_NE(text.find("2.5"), std::string::npos) << text;
  EXPECT_NE(text.find("no ratio: a quarter of the samples of openmp took over 10 times"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("OMP_WAIT_POLICY=passive"), std::string::npos);
  const auto steady = pleat::bench::comparison_text(json::array({entry("tbb", 2.5)}));
  EXPECT_EQ(steady.find("no ratio"), std::string::npos) << steady;
}

}  // namespace comparison_report_test
