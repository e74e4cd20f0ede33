// SPDX-License-Identifier: Apache-2.0
// placements POLICY PROCESSORS   makes an array with a share for each worker, lets each write to a
// block of scratch memory, and says who and where it is, first of all blocks, then of all shares;
// meanwhile the run goes on, so all workers are bound:
//
//     worker 3 thread 112 pu 3 address 139… bytes 4194304 pages 0=0 1=1024
//     astray 0
//     ready
//
// Each time a line is read, it says again where the pages are; it ends with its input.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placed_memory.hpp>

namespace {

constexpr std::size_t each = std::size_t{4} << 20;

void tell(const pleat::machine& on, std::span<std::byte> memory, const std::vector<long>& threads) {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const std::span block = memory.subspan(i * each, each);
    std::printf("worker %zu thread %ld pu %u address %zu bytes %zu pages", i, threads[i],
                on.placement().processors[i].pu, reinterpret_cast<std::size_t>(block.data()), each);
    const pleat::page_counts counts = pleat::memory_of(block);
    for (const pleat::numa_node& node : on.topology().memory_nodes()) {
      const auto found = counts.on_node.find(node.index);
      std::printf(" %u=%zu", node.index,
                  static_cast<std::size_t>(found == counts.on_node.end() ? 0 : found->second));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int, char** arguments) {
  try {
    pleat::machine machine(
        {.processors = pleat::parse_processors(arguments[2]),
         .workers = pleat::workers::bound,  // so that the kernel tells where workers belong
         .memory = pleat::parse_memory_policy(arguments[1])});
    const std::size_t p = machine.processors();
    const pleat::placed_memory array(machine, p * each);
    const pleat::machine::turn mine(machine, pleat::machine::use::scratch);
    const std::span memory = machine.scratch(p * each);
    std::vector<long> threads(p);
    machine.run(p, [&](pleat::vp& me) -> pleat::task<> {
      threads[me.rank()] = ::syscall(SYS_gettid);
      std::ranges::fill(memory.subspan(me.rank() * each, each), std::byte{1});
      co_await me.sync(0);
      std::string order;
      if (me.rank() == 0) {
        do {
          tell(machine, memory, threads);
          tell(machine, array.bytes(), threads);
          std::printf("astray %zu\nready\n", static_cast<std::size_t>(array.astray()));
          std::fflush(stdout);
        } while (std::getline(std::cin, order));
      }
      co_await me.sync(0);
    });
  } catch (const std::exception& e) {
    std::printf("error %s\n", e.what());
    return 1;
  }
}
