// SPDX-License-Identifier: Apache-2.0
#include "../../runtime/src/engine/barriers.cpp"

namespace {

/// Members write, pass, and read what the others have written; twice, then they leave. One of them
/// first looks whether another has arrived.
template <class Barrier, unsigned members>
struct members_meet : rl::test_suite<members_meet<Barrier, members>, members> {
  void before() { barrier.emplace(members); }
  void after() {
    barrier.reset();
    searched::forget_atomics();
  }
  void pass(unsigned self, std::uint64_t epoch) {
    barrier->announce(self, epoch);
    while (barrier->poll(self).reached < epoch) searched::give_way();
  }
  void thread(unsigned self) {
    if (self == 0) {
      while (barrier->arrivals(members - 1) == 0) searched::give_way();
      RL_ASSERT(written[members - 1](RL_INFO) == 1);
    }
    written[self](RL_INFO) = 1;
    pass(self, 1);
    for (rl::var<int>& each : written) RL_ASSERT(each(RL_INFO) == 1);
    pass(self, 2);
    written[self](RL_INFO) = 2;
    pass(self, pleat::forever);
  }

  std::optional<Barrier> barrier;
  rl::var<int> written[members];
};

}  // namespace

int main() {
  searched::search<members_meet<pleat::flat_barrier, 2>>("flat of 2", 3);
  searched::search<members_meet<pleat::dissemination_barrier, 3>>("dissemination of 3", 1);
  searched::search<members_meet<pleat::tree_barrier, 3>>("tree of 3", 1);
  return searched::verdict();
}
