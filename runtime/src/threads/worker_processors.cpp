// SPDX-License-Identifier: Apache-2.0
#include "threads/worker_processors.hpp"

#include <set>

namespace pleat::detail {

std::vector<std::size_t> worker_processors(const placement& placed, bool each) {
  std::vector<std::size_t> first;
  std::set<unsigned> taken;
  for (std::size_t i = 0; i < placed.processors.size(); ++i) {
    const bool fresh = taken.insert(placed.processors[i].pu).second;
    if (fresh || each) first.push_back(i);
  }
  return first;
}

bool oversubscribed(const topology& machine, const placement& placed, std::size_t workers) {
  const bool shared = workers > worker_processors(placed, false).size();
  return shared || (machine.quota() && workers > machine.quota()->processors());
}

}  // namespace pleat::detail
