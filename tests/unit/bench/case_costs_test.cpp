// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "seed.hpp"
#include "sweep/case_record.hpp"
#include "sweep/fields_json.hpp"

namespace pleat::bench {
namespace case_costs_test {

// Degrees that no program need have; the numbers in a file give the time that the trace itself
// gives.
TEST(CaseCosts, AsNumbersPredictWhatTheTraceDoes) {
  std::mt19937_64 random(seed());
  for (unsigned labels = 1; labels <= 6; ++labels) {
    std::vector<superstep_degrees> supersteps(20);
    for (auto& step : supersteps) {
      step.label = static_cast<unsigned>(random() % labels);
      step.h.assign(labels + 1, 0);
      for (unsigned j = step.label + 1; j <= labels; ++j) step.h[j] = random() % 100;
    }
    const cost_trace trace(std::size_t{1} << labels, supersteps, 0);
    for (const std::size_t bytes : {1, 8, 24}) {
      const auto costs = fields_from<case_costs>(fields_json(costs_of(trace, bytes)));
      EXPECT_EQ(costs.vps, trace.v());
      for (unsigned levels = 0; levels <= labels + 2; ++levels) {
        machine_model model{"", {}, {}};
        for (unsigned i = 0; i < levels; ++i) {
          model.g.push_back(1 + i);
          model.l.push_back(7.5 * i);
        }
        auto g = model.g;
        for (double& one : g) one *= static_cast<double>(bytes) / 8;
        EXPECT_DOUBLE_EQ(costs.communication(model), trace.D(std::min(labels, levels), g, model.l));
      }
    }
  }
}

}  // namespace case_costs_test
}  // namespace pleat::bench
