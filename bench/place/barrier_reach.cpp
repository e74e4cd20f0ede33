// SPDX-License-Identifier: Apache-2.0
#include "barrier_reach.hpp"

#include <algorithm>
#include <set>

namespace pleat::bench {

const char* barrier_reach::crosses() const {
  if (packages > 1) return "packages";
  if (nodes > 1) return "nodes";
  if (cores > 1) return "cores";
  return processors > 1 ? "threads" : "nothing";
}

std::vector<barrier_reach> barrier_reaches(const cluster_tree& clusters, const placement& where) {
  std::vector<barrier_reach> reaches;
  for (unsigned label = 0; label < clusters.labels(); ++label) {
    barrier_reach one{.label = label, .clusters = clusters.level(label).size()};
    for (const cluster& c : clusters.level(label)) {
      const auto distinct = [&](unsigned processor::*what) {
        std::set<unsigned> found;
        for (std::size_t i = c.first; i < c.first + c.size; ++i)
          found.insert(where.processors[i].*what);
        return found.size();
      };
      one.processors = std::max(one.processors, c.size);
      one.cores = std::max(one.cores, distinct(&processor::core));
      one.nodes = std::max(one.nodes, distinct(&processor::numa));
      one.packages = std::max(one.packages, distinct(&processor::package));
      if (std::ranges::find(one.within, c.object) == one.within.end())
        one.within.push_back(c.object);
    }
    reaches.push_back(std::move(one));
  }
  return reaches;
}

}  // namespace pleat::bench
