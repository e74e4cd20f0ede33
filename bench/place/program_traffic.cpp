// SPDX-License-Identifier: Apache-2.0
#include "program_traffic.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace pleat::bench {

nearness nearness_of(const processor& a, const processor& b) {
  if (a.rank == b.rank) return nearness::processor;
  if (a.core == b.core) return nearness::core;
  if (a.numa == b.numa) return nearness::node;
  return a.package == b.package ? nearness::package : nearness::machine;
}

double message_counts::local() const {
  const std::uint64_t all = total();
  const std::uint64_t far = by[static_cast<std::size_t>(nearness::package)] +
                            by[static_cast<std::size_t>(nearness::machine)];
  return all == 0 ? 1 : static_cast<double>(all - far) / static_cast<double>(all);
}

program_traffic traffic_of(std::string program, std::size_t n, const cost_trace& costs,
                           const placement& where) {
  program_traffic found{.program = std::move(program),
                        .n = n,
                        .v = costs.v(),
                        .processors = costs.processors(),
                        .of_label = std::vector<message_counts>(costs.labels())};
  std::set<unsigned> nodes;
  for (std::size_t i = 0; i < found.processors; ++i) nodes.insert(where.processors[i].numa);
  found.nodes.assign(nodes.begin(), nodes.end());
  found.between_nodes.assign(nodes.size(), std::vector<std::uint64_t>(nodes.size()));
  const auto place = [&](const processor& p) {
    return static_cast<std::size_t>(std::ranges::lower_bound(found.nodes, p.numa) -
                                    found.nodes.begin());
  };
  for (unsigned label = 0; label < costs.labels(); ++label) {
    found.supersteps.push_back(costs.S(label));
    for (std::size_t from = 0; from < found.processors; ++from) {
      for (std::size_t to = 0; to < found.processors; ++to) {
        const std::uint64_t messages = costs.messages_between(label, from, to);
        const processor& a = where.processors[from];
        const processor& b = where.processors[to];
        const auto near = static_cast<std::size_t>(nearness_of(a, b));
        found.of_label[label].by[near] += messages;
        found.all.by[near] += messages;
        found.between_nodes[place(a)][place(b)] += messages;
      }
    }
  }
  return found;
}

}  // namespace pleat::bench
