// SPDX-License-Identifier: Apache-2.0
#include "threads/carriers.hpp"

#include <set>

namespace pleat::detail {

std::vector<std::size_t> carriers(const placement& placed, bool each) {
  std::vector<std::size_t> first;
  std::set<unsigned> taken;
  for (std::size_t i = 0; i < placed.processors.size(); ++i) {
    const bool fresh = taken.insert(placed.processors[i].pu).second;
    if (fresh || each) first.push_back(i);
  }
  return first;
}

bool crowded(const topology& machine, const placement& placed, std::size_t threads) {
  const bool shared = threads > carriers(placed, false).size();
  return shared || (machine.quota() && threads > machine.quota()->processors());
}

}  // namespace pleat::detail
