// SPDX-License-Identifier: Apache-2.0
#include "threads/termination_detector.cpp"

namespace {

/// Workers with tasks that one hands to another: what idle_loop.cpp does with a detector, less
/// sleep. A worker retires when it has done its task. Those that wait for a task that nobody has
/// must be found to wait for ever, and nobody else.
template <unsigned workers, bool deadlock> struct run_ends : searched::test {
  run_ends() : number(detector.start(workers)) {
    if (!deadlock) tasks[0].store(1, std::memory_order_relaxed);
  }
  void thread(unsigned self) override {
    bool idle = false, alerted = false;
    while (tasks[self].load(std::memory_order_acquire) == 0) {
      if (!idle) {
        idle = true;
        alerted = detector.enter();
      }
      const std::uint64_t generation = detector.generation();
      if (tasks[self].load(std::memory_order_acquire) != 0) break;
      if (detector.confirm(self, generation)) {
        searched::require(deadlock);
        found.store(true, std::memory_order_release);
      }
      if (found.load(std::memory_order_acquire)) return;
      searched::give_way();
    }
    if (idle) detector.leave();
    searched::require(!deadlock);
    done[self] = 1;
    if (self + 1 < workers) tasks[self + 1].store(1, std::memory_order_release);
    static_cast<void>(detector.retire(self, number));
    if (self + 1 < workers) return;
    while (!detector.over()) searched::give_way();
    for (const unsigned each : done) searched::require(each == 1);
  }

  pleat::detail::termination_detector detector;
  std::uint64_t number;
  std::array<std::atomic<std::uint64_t>, workers> tasks;
  std::atomic<bool> found{false};
  unsigned done[workers] = {};
};

/// One worker retires while another becomes idle and sleeps: one of the two learns that the other
/// was the last, or the idle one would sleep for ever.
template <bool twice> struct last_one_is_told : searched::test {
  last_one_is_told() : number(detector.start(2)) {}
  bool idle() {
    if (twice) {
      if (detector.enter()) return true;
      detector.leave();
    }
    return detector.enter();
  }
  void thread(unsigned self) override {
    told[self] = self == 0 ? detector.retire(0, number) : idle();
    gone[self].store(true, std::memory_order_release);
    while (!gone[1 - self].load(std::memory_order_acquire)) searched::give_way();
    searched::require(told[0] + told[1] != 0);
  }

  pleat::detail::termination_detector detector;
  std::uint64_t number;
  unsigned told[2] = {};
  std::array<std::atomic<bool>, 2> gone;
};

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // what takes longer
    searched::search<run_ends<4, false>>("a chain of 4", 4, 1);
    return searched::verdict();
  }
  searched::search<last_one_is_told<false>>("last one is told", 2, 4);
  searched::search<last_one_is_told<true>>("last one is told, idle twice", 2, 4);
  searched::search<run_ends<2, false>>("a chain of 2", 2, 3);
  searched::search<run_ends<2, true>>("all wait", 2, 3);
  searched::search<run_ends<3, false>>("a chain of 3", 3, 1);
  return searched::verdict();
}
