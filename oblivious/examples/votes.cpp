// SPDX-License-Identifier: Apache-2.0
//
// Moves invalid ballots to the end, and lists each name on the valid ballots once.
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/unique.hpp>

int main() {
  std::vector<std::string> ballots{"Ada", "", "Grace", "Ada", "", "Barbara", "Grace", "Ada"};
  const auto invalid = pleat::partition(ballots, [](const std::string& b) { return !b.empty(); });
  const std::size_t wrong = invalid.size();
  std::cout << wrong << " of " << ballots.size() << " ballots are invalid\n";
  ballots.erase(invalid.begin(), invalid.end());

  pleat::sort(ballots);
  const auto rest = pleat::unique(ballots);
  ballots.erase(rest.begin(), rest.end());
  for (const std::string& name : ballots) std::cout << name << '\n';
  return wrong == 2 && ballots == std::vector<std::string>{"Ada", "Barbara", "Grace"} ? 0 : 1;
}
