// SPDX-License-Identifier: Apache-2.0
// Is my memory where I think it is? An array of which each worker has touched its part, and one
// that the main thread has filled alone: the mistake that costs most on a machine of several NUMA
// nodes.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placed_memory.hpp>

int main() try {
  constexpr std::size_t each = std::size_t{4} << 20;  // bytes: whole pages, huge ones too
  pleat::machine machine({.memory = pleat::parse_memory_policy("local")});
  const std::size_t p = machine.processors();

  const pleat::placed_memory array(machine, p * each);  // each worker has touched its share
  const std::span<std::byte> shared = array.bytes();
  machine.run(p, [&](pleat::vp& me) -> pleat::task<> {
    std::ranges::fill(shared.subspan(me.rank() * each, each), std::byte{1});
    co_return;
  });
  const std::vector<std::byte> alone(p * each, std::byte{1});  // all of it by this thread

  std::printf("each worker its own: %s\n", to_string(pleat::memory_of(shared)).c_str());
  std::printf("the main thread all: %s\n", to_string(pleat::memory_of(alone)).c_str());
  std::printf("worker  node  its memory\n");
  bool right = array.astray() == 0;
  for (std::size_t i = 0; i < p; ++i) {
    const pleat::page_counts counts = pleat::memory_of(shared.subspan(i * each, each));
    const unsigned node = machine.placement().processors[i].numa;
    std::printf("%6zu  %4u  %s\n", i, node, to_string(counts).c_str());
    right = right && counts.absent == 0 && counts.on_node.contains(node);
  }
  return right ? 0 : 1;
} catch (const pleat::environment_error& e) {
  std::printf("%s\n", e.what());  // a container may forbid such questions
}
