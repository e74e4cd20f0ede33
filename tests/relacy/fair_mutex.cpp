// SPDX-License-Identifier: Apache-2.0
#include "threads/fair_mutex.hpp"

#include "base/abi.cpp"

namespace pleat::detail {

pid_t this_process() noexcept { return 1; }
pid_t this_thread() noexcept { return 10 + static_cast<pid_t>(searched::self()); }
bool joins_this_thread(pid_t) noexcept { return false; }

}  // namespace pleat::detail

namespace {

/// Threads that each have the mutex some times, once inside itself.
template <unsigned threads, unsigned times> struct each_has_its_turn : searched::test {
  void thread(unsigned) override {
    for (unsigned i = 0; i < times; ++i) {
      mutex.lock();
      if (i == 0) {
        mutex.lock();
        mutex.unlock();
      }
      searched::require(mutex.mine());
      ++count;
      mutex.unlock();
    }
  }

  pleat::detail::fair_mutex mutex{std::nullopt};
  unsigned count = 0;
};

}  // namespace

int main(int count, char**) {
  if (count > 1) {  // what takes longer
    searched::search<each_has_its_turn<2, 2>>("2 threads, twice", 2, 3);
    searched::search<each_has_its_turn<3, 1>>("3 threads", 3, 2);
    searched::search<each_has_its_turn<4, 1>>("4 threads", 4, 0);
    return searched::verdict();
  }
  searched::search<each_has_its_turn<2, 1>>("2 threads", 2, 4);
  searched::search<each_has_its_turn<3, 1>>("3 threads", 3, 1);
  return searched::verdict();
}
