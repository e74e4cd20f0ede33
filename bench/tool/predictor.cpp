// SPDX-License-Identifier: Apache-2.0
#include "predictor.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "probe_document.hpp"
#include "terminal.hpp"

namespace pleat::bench {

std::optional<machine_model> predictor::model_of(const sweep_case& at) {
  const machine_options on{.processors = at.processors, .place = parse_placement(at.place)};
  if (place(topology::host(), *on.place, on.processors).oversubscribed) return std::nullopt;
  try {
    return measured_model(announced_probe(on, {.machines = 5, .rounds = 20}));
  } catch (const environment_error& failure) {
    warn("nothing is predicted for " + std::to_string(at.processors) +
         " processors: " + failure.what());
    return std::nullopt;
  }
}

std::optional<double> predictor::communication(const sweep_case& at, const cost_trace& costs,
                                               std::size_t bytes) {
  if (at.processors < 2 || costs.v() < 2) return 0;
  const std::pair processors(at.processors, at.place);
  if (!probed_.contains(processors)) probed_[processors] = model_of(at);
  const auto& model = probed_[processors];
  if (!model) return std::nullopt;
  constexpr double word = 8;  // what the probe calls a message
  std::vector<double> g = model->g;
  for (double& one : g) one *= static_cast<double>(bytes) / word;
  const unsigned levels = std::min(costs.labels(), model->levels());
  return costs.D(levels, g, model->l);
}

}  // namespace pleat::bench
