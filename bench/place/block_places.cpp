// SPDX-License-Identifier: Apache-2.0
#include "block_places.hpp"

#include <fstream>
#include <numeric>
#include <string>

namespace pleat::bench {
namespace {

double kernels_weight(unsigned node) {
  std::ifstream file("/sys/kernel/mm/mempolicy/weighted_interleave/node" + std::to_string(node));
  double weight = 0;
  return file >> weight ? weight : 1;
}

}  // namespace

std::vector<block_place> block_places(const memory_policy& policy, const topology& on,
                                      const placement& where) {
  std::vector<block_place> places;
  for (std::size_t i = 0; i < where.processors.size(); ++i) {
    block_place one{.nodes = nodes_of_pages(policy, on, where, i), .shares = {}};
    const bool weighted =
        policy.where == memory_policy::nodes::weighted_interleave && on.bindable();
    for (const unsigned node : one.nodes) one.shares.push_back(weighted ? kernels_weight(node) : 1);
    const double all = std::accumulate(one.shares.begin(), one.shares.end(), 0.0);
    const unsigned own = where.processors[i].numa;
    for (std::size_t k = 0; k < one.nodes.size(); ++k) {
      const double share = one.shares[k] /= all;
      if (on.is_local(own, one.nodes[k])) one.local += share;
      const auto distance = on.distance(own, one.nodes[k]);
      one.distance = one.distance && distance ? std::optional(*one.distance + share * *distance)
                                              : std::nullopt;
    }
    places.push_back(std::move(one));
  }
  return places;
}

}  // namespace pleat::bench
