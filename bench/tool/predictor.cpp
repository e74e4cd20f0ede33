// SPDX-License-Identifier: Apache-2.0
#include "predictor.hpp"

#include <algorithm>

#include "probe_document.hpp"

namespace pleat::bench {

double predictor::communication(const sweep_case& at, const cost_trace& costs, std::size_t bytes) {
  if (at.processors < 2 || costs.v() < 2) return 0;
  auto& model = probed_[{at.processors, at.place}];
  if (model.g.empty()) {
    const machine_options on{.processors = at.processors, .place = parse_placement(at.place)};
    model = measured_model(announced_probe(on, {.machines = 5, .rounds = 20}));
  }
  constexpr double word = 8;  // what the probe calls a message
  std::vector<double> g = model.g;
  for (double& one : g) one *= static_cast<double>(bytes) / word;
  const unsigned levels = std::min(costs.labels(), model.levels());
  return costs.D(levels, g, model.l);
}

}  // namespace pleat::bench
