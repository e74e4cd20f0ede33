// SPDX-License-Identifier: Apache-2.0
#include "openmp_environment.hpp"

#include <string>

namespace pleat::bench {

environment_changes openmp_environment(const placement& placed, bool spins) {
  std::string places;
  for (const auto& p : placed.processors) {
    places += (places.empty() ? "{" : ",{") + std::to_string(p.pu) + "}";
  }
  environment_changes environment{{"OMP_NUM_THREADS", std::to_string(placed.processors.size())},
                                  {"OMP_PLACES", places},
                                  {"OMP_PROC_BIND", "true"},
                                  {"OMP_DYNAMIC", "false"}};
  if (spins) {
    environment.emplace_back("OMP_WAIT_POLICY", "active");
    environment.emplace_back("KMP_BLOCKTIME", "infinite");
  }
  return environment;
}

}  // namespace pleat::bench
