// SPDX-License-Identifier: Apache-2.0
// A plugin that brings its own copy of the library and shows nothing of it, so that nothing but the
// library itself keeps the plugin loaded.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

std::vector<std::uint64_t> keys() {
  std::vector<std::uint64_t> made(200'000);
  std::uint64_t state = 7;
  for (auto& x : made) x = state = state * 6364136223846793005u + 1442695040888963407u;
  return made;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool sort_on_the_default_machine() {
  auto k = keys();
  pleat::sort(k);
  return std::ranges::is_sorted(k);
}

extern "C" __attribute__((visibility("default"))) bool sort_on_its_own_machine() {
  auto k = keys();
  pleat::machine machine;
  pleat::sort(machine, k);
  return std::ranges::is_sorted(k);
}
