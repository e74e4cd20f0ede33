// SPDX-License-Identifier: Apache-2.0
//
// Placements and processor counts as people write them, carried out on machines of several shapes.

#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/placement.hpp>

#include "input.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleat;
  using fuzz::answers, fuzz::require;
  const auto text = fuzz::text_of(data, size);
  answers([&] { require(parse_processors(text) > 0); });
  placement_request request;
  if (!answers([&] { request = parse_placement(text); })) return 0;
  require(to_string(parse_placement(to_string(request))) == to_string(request));
  static const topology machines[]{topology::synthetic("core:1"),
                                   topology::synthetic("core:3 pu:2"),
                                   topology::synthetic("numa:2 l3:2 core:2 pu:2")};
  for (const auto& machine : machines) {
    for (const auto processors : {std::optional<unsigned>{}, {1U}, {5U}}) {
      answers([&] {
        const auto placed = place(machine, request, processors);
        require(!placed.processors.empty());
        require(!processors || placed.processors.size() == *processors);
        for (const auto& one : placed.processors) require(machine.find_pu(one.pu).has_value());
        require(cluster_tree(machine, placed).labels() <= placed.processors.size());
      });
    }
  }
  return 0;
}
