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
    const std::size_t p = clusters.processors(), parts = std::size_t{1} << label;
    barrier_reach one{.label = label, .clusters = parts};
    for (std::size_t c = 0; c < parts; ++c) {
      // A processor may have VPs of two clusters.
      const rank_range joined{c * p / parts, ((c + 1) * p + parts - 1) / parts};
      const auto distinct = [&](unsigned processor::*what) {
        std::set<unsigned> found;
        for (std::size_t i = joined.first; i < joined.last; ++i)
          found.insert(where.processors[i].*what);
        return found.size();
      };
      one.processors = std::max(one.processors, joined.size());
      one.cores = std::max(one.cores, distinct(&processor::core));
      one.nodes = std::max(one.nodes, distinct(&processor::numa));
      one.packages = std::max(one.packages, distinct(&processor::package));
      const std::string& object = clusters.object_of(joined).name;
      if (std::ranges::find(one.within, object) == one.within.end()) one.within.push_back(object);
    }
    reaches.push_back(std::move(one));
  }
  return reaches;
}

}  // namespace pleat::bench
