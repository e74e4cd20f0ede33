// SPDX-License-Identifier: Apache-2.0
// Threads of your own that work in phases: between two of them all meet at a barrier, and how they
// wait there is theirs to say. Each adds its neighbours' numbers to its own.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include <pleat/runtime/barrier.hpp>

namespace {

void meet(pleat::barrier& all, std::size_t me, std::uint64_t epoch) {
  all.announce(me, epoch);
  while (all.poll(me).reached < epoch) std::this_thread::yield();
}

}  // namespace

int main() {
  constexpr std::size_t threads = 4, steps = 50;
  pleat::barrier all(threads);
  std::vector<std::uint64_t> now(threads), next(threads);
  now[0] = 1;
  {
    std::vector<std::jthread> team;
    for (std::size_t me = 0; me < threads; ++me) {
      team.emplace_back([&, me] {
        std::uint64_t epoch = 0;
        for (std::size_t step = 0; step < steps; ++step) {
          next[me] = now[(me + threads - 1) % threads] + now[(me + 1) % threads];
          meet(all, me, ++epoch);
          now[me] = next[me];
          meet(all, me, ++epoch);
        }
        // In some barriers waiting members pass on what others wait for: stay till all are done.
        all.announce(me, pleat::forever);
        while (all.poll(me).reached != pleat::forever) std::this_thread::yield();
      });
    }
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t one : now) sum += one;
  std::printf("after %zu steps the sum is 2^%zu: %s\n", steps, steps,
              sum == std::uint64_t{1} << steps ? "right" : "wrong");
  return sum == std::uint64_t{1} << steps ? 0 : 1;
}
