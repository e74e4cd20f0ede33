// SPDX-License-Identifier: Apache-2.0
//
// Machines of one's own making, in hwloc's notation.

#include <pleat/runtime/topology.hpp>

#include "input.hpp"

// hwloc 2.9 does not free the memory it has read between brackets when it refuses what follows.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhwloc"; }

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
