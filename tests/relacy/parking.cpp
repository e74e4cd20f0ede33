// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

namespace {

/// Each of the threads raises its flag, wakes the others, and sleeps until all flags are up, in
/// each of some rounds. A thread that sleeps on is a deadlock.
template <unsigned members, unsigned rounds, bool membarrier> struct all_go_on : searched::test {
  void thread(unsigned self) override {
    for (unsigned round = 1; round <= rounds; ++round) {
      written[self] = round;
      flags[self].store(round, std::memory_order_release);  // pairs with the acquire in ready
      sleepers.wake(0, members, self);
      const auto ready = [&] {
        for (const auto& flag : flags)
          if (flag.load(std::memory_order_acquire) < round) return false;
        return true;
      };
      while (!ready()) sleepers.sleep_unless(self, ready);
    }
    for (const unsigned each : written) searched::require(each == rounds);
  }

  bool kernel_has = has_membarrier = membarrier;
  pleat::detail::parking sleepers{members};
  std::array<std::atomic<std::uint32_t>, members> flags;
  unsigned written[members] = {};
};

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // what takes longer
    searched::search<all_go_on<4, 1, true>>("4 threads", 4, 1);
    searched::search<all_go_on<4, 1, false>>("4 threads, no membarrier", 4, 1);
    return searched::verdict();
  }
  searched::search<all_go_on<2, 2, true>>("2 threads", 2, 3);
  searched::search<all_go_on<2, 2, false>>("2 threads, no membarrier", 2, 3);
  searched::search<all_go_on<3, 1, true>>("3 threads", 3, 2);
  searched::search<all_go_on<3, 1, false>>("3 threads, no membarrier", 3, 2);
  return searched::verdict();
}
