// SPDX-License-Identifier: Apache-2.0
#include "case_costs.hpp"

#include <algorithm>

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

}  // namespace pleat::bench
