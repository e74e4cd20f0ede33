// SPDX-License-Identifier: Apache-2.0
#include "block_places.hpp"

namespace pleat::bench {

std::vector<block_place> block_places(const memory_policy& policy, const topology& on,
                                      const placement& where) {
  std::vector<block_place> places;
  for (std::size_t i = 0; i < where.processors.size(); ++i) {
    block_place one{nodes_of_pages(policy, on, where, i)};
    const unsigned own = where.processors[i].numa;
    const double share = 1 / static_cast<double>(one.nodes.size());
    for (const unsigned node : one.nodes) {
      if (node == own) one.local += share;
      one.distance += share * on.distance(own, node);
    }
    places.push_back(std::move(one));
  }
  return places;
}

}  // namespace pleat::bench
