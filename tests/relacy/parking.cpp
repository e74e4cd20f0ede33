// SPDX-License-Identifier: Apache-2.0
// The kernel's two calls are functions of this program: membarrier(2) is Relacy's fence of all
// threads, and futex(2) compares and blocks in one step, but orders nothing.

namespace {

bool has_membarrier;
const void* blocked_at[3];

long kernel(long, int, int, int) {
  if (!has_membarrier) return -1;
  // An access that the search omits in its turn.
  if (searched::order_at(std::memory_order_seq_cst, std::source_location::current()) !=
      std::memory_order_relaxed) {
    rl::ctx().sched();
    rl::systemwide_fence(RL_INFO);
  }
  return 0;
}

enum futex_operation { futex_wait = 128, futex_wake = 129 };  // private ones

long kernel(long, std::uint32_t* at, int operation, std::uint32_t value, const timespec*,
            std::nullptr_t, int) {
  auto& word = *reinterpret_cast<std::atomic<std::uint32_t>*>(at);
  if (operation == futex_wait) {
    if (word.fetch_add(0, std::memory_order_relaxed) != value) return -1;  // the latest value
    blocked_at[rl::thread_index()] = at;
    rl::ctx().park_current_thread(false, false, false, RL_INFO);
    return 0;
  }
  rl::ctx().sched();
  for (unsigned thread = 0; thread < std::size(blocked_at); ++thread) {
    if (blocked_at[thread] != at) continue;
    blocked_at[thread] = nullptr;
    rl::ctx().unpark_thread(static_cast<rl::thread_id_t>(thread), false, RL_INFO);
    return 1;
  }
  return 0;
}

}  // namespace

#define syscall kernel
#include "../../runtime/src/threads/parking.cpp"
#undef syscall

namespace {

static_assert(futex_wait == FUTEX_WAIT_PRIVATE && futex_wake == FUTEX_WAKE_PRIVATE);

/// Each of the threads raises its flag, wakes the others, and sleeps until all flags are up, in
/// each of some rounds. A thread that sleeps on is a deadlock.
template <unsigned members, unsigned rounds, bool membarrier>
struct all_go_on : rl::test_suite<all_go_on<members, rounds, membarrier>, members> {
  void before() {
    has_membarrier = membarrier;
    for (const void*& each : blocked_at) each = nullptr;
    sleepers.emplace(members);
    flags.emplace();
  }
  void after() {
    flags.reset();
    sleepers.reset();
    searched::forget_atomics();
  }
  void thread(unsigned self) {
    for (unsigned round = 1; round <= rounds; ++round) {
      written[self](RL_INFO) = round;
      (*flags)[self].store(round, std::memory_order_release);  // pairs with the acquire in ready
      sleepers->wake(0, members, self);
      const auto ready = [&] {
        for (const auto& flag : *flags)
          if (flag.load(std::memory_order_acquire) < round) return false;
        return true;
      };
      while (!ready()) sleepers->sleep_unless(self, ready);
    }
    for (rl::var<unsigned>& each : written) RL_ASSERT(each(RL_INFO) == rounds);
  }

  std::optional<pleat::detail::parking> sleepers;
  std::optional<std::array<std::atomic<std::uint32_t>, members>> flags;
  rl::var<unsigned> written[members];
};

}  // namespace

int main() {
  searched::search<all_go_on<2, 2, true>>("2 threads", 3);
  searched::search<all_go_on<2, 2, false>>("2 threads, no membarrier", 3);
  searched::search<all_go_on<3, 1, true>>("3 threads", 2);
  searched::search<all_go_on<3, 1, false>>("3 threads, no membarrier", 2);
  return searched::verdict();
}
