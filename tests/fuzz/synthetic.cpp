// SPDX-License-Identifier: Apache-2.0
//
// Machines of one's own making, in hwloc's notation.

#include <pleat/runtime/topology.hpp>

#include "input.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleat;
  constexpr std::size_t longest = 200;
  if (size > longest) return 0;
  fuzz::answers([&] {
    const auto machine = topology::synthetic(fuzz::text_of(data, size));
    fuzz::require(machine.pus() > 0 && machine.cores() > 0 && machine.cores() <= machine.pus());
  });
  return 0;
}
