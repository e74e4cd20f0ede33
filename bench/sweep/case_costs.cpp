// SPDX-License-Identifier: Apache-2.0
#include "case_costs.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace pleat::bench {

double case_costs::communication(const machine_model& model) const {
  constexpr double probed_bytes = 8;
  const double words = static_cast<double>(element_bytes) / probed_bytes;
  const std::size_t levels = std::min<std::size_t>(supersteps.size(), model.levels());
  double seconds = 0;
  for (std::size_t i = 0; i < levels; ++i)
    seconds += static_cast<double>(messages[levels][i]) * words * model.g[i] +
               static_cast<double>(supersteps[i]) * model.l[i];
  return seconds;
}

case_costs costs_of(const cost_trace& trace, std::size_t element_bytes) {
  case_costs costs{trace.v(), element_bytes, {}, {{}}};
  for (unsigned j = 1; j <= trace.labels(); ++j) {
    costs.supersteps.push_back(trace.S(j - 1));
    auto& folding = costs.messages.emplace_back();
    for (unsigned label = 0; label < j; ++label) folding.push_back(trace.F(label, j));
  }
  return costs;
}

nlohmann::ordered_json costs_json(const case_costs& costs) {
  return {{"v", costs.vps},
          {"element_bytes", costs.element_bytes},
          {"S", costs.supersteps},
          {"F", costs.messages}};
}

case_costs costs_from(const nlohmann::ordered_json& json) {
  case_costs costs;
  json.at("v").get_to(costs.vps);
  json.at("element_bytes").get_to(costs.element_bytes);
  json.at("S").get_to(costs.supersteps);
  json.at("F").get_to(costs.messages);
  return costs;
}

}  // namespace pleat::bench
