// SPDX-License-Identifier: Apache-2.0
// Which processors may this process use, why not more, and which of them are neighbours? The same
// questions about a machine that is not at hand.
#include <iostream>
#include <string>

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/quota.hpp>
#include <pleat/runtime/topology.hpp>

namespace {

std::size_t show(const pleat::topology& machine, const std::string& place) {
  const pleat::placement placed = pleat::place(machine, pleat::parse_placement(place));
  const pleat::cluster_tree tree(machine, placed);
  std::cout << machine.origin() << ": " << machine.summary() << "\n  " << place << ':';
  for (const pleat::processor& one : placed.processors) std::cout << " PU " << one.pu;
  std::cout << '\n';
  for (unsigned level = 0; level < tree.labels(); ++level)
    std::cout << "  cluster of level " << level << ": " << tree.cluster_of(level, 0).size
              << " processors in " << tree.cluster_of(level, 0).object << '\n';
  return placed.processors.size();
}

}  // namespace

int main() {
  const pleat::topology here = pleat::topology::host();
  for (const pleat::restriction& one : here.restrictions()) std::cout << one.reason << '\n';
  if (const auto quota = pleat::read_cpu_quota())
    std::cout << quota->source << " grants the time of " << quota->processors() << " processors\n";
  show(here, "compact");

  const auto server = pleat::topology::synthetic("package:2 l3:2 core:4 pu:2");
  const std::size_t cores = show(server, "compact"), threads = show(server, "spread/pu");
  try {
    show(server, "numa:9");
  } catch (const pleat::environment_error& refusal) {
    std::cout << refusal.what() << '\n';
    return cores == 16 && threads == 32 ? 0 : 1;
  }
  return 1;
}
