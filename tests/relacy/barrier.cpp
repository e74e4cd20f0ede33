// SPDX-License-Identifier: Apache-2.0
#include "engine/barriers.cpp"

namespace {

/// Members write, pass, and read what the others have written; twice, then they leave. One of them
/// first looks whether another has arrived.
template <class Barrier, unsigned members> struct members_meet : searched::test {
  void pass(unsigned self, std::uint64_t epoch) {
    barrier.announce(self, epoch);
    while (barrier.poll(self).reached < epoch) searched::give_way();
  }
  void thread(unsigned self) override {
    if (self == 0) {
      while (barrier.arrivals(members - 1) == 0) searched::give_way();
      searched::require(written[members - 1] == 1);
    }
    written[self] = 1;
    pass(self, 1);
    for (const int each : written) searched::require(each == 1);
    pass(self, 2);
    written[self] = 2;
    pass(self, pleat::forever);
  }

  Barrier barrier{members};
  int written[members] = {};
};

/// The same, met once. Other members may still read when one leaves.
template <class Barrier, unsigned members> struct members_meet_once : searched::test {
  void thread(unsigned self) override {
    written[self] = 1;
    barrier.announce(self, 1);
    while (barrier.poll(self).reached < 1) searched::give_way();
    for (const int each : written) searched::require(each == 1);
    barrier.announce(self, pleat::forever);
  }

  Barrier barrier{members};
  int written[members] = {};
};

/// A barrier distributed over its members' flags, with a leader that lets them go, whose accesses
/// order nothing: such a one was found in a large OpenMP runtime.
template <std::memory_order arrive, std::memory_order gather> class distributed_barrier {
 public:
  explicit distributed_barrier(std::size_t members) : arrived_(members) {}

  void announce(std::size_t m, std::uint64_t epoch) { arrived_[m].epoch.store(epoch, arrive); }
  pleat::barrier_progress poll(std::size_t m) {
    if (m == 0) {
      std::uint64_t least = pleat::forever;
      for (const auto& flag : arrived_) least = std::min(least, flag.epoch.load(gather));
      go_.epoch.store(least, arrive);
    }
    return {go_.epoch.load(gather), false};
  }

 private:
  pleat::detail::epoch_flags arrived_;
  pleat::detail::epoch_flag go_;
};
using unordered = distributed_barrier<std::memory_order_relaxed, std::memory_order_relaxed>;
using half_ordered = distributed_barrier<std::memory_order_release, std::memory_order_relaxed>;
using ordered = distributed_barrier<std::memory_order_release, std::memory_order_acquire>;

}  // namespace

int main(int count, char**) {
  using namespace pleat;
  if (count > 1) {  // what takes longer
    searched::search<members_meet_once<tree_barrier, 4>>("tree of 4", 4, 1);
    searched::search<members_meet_once<dissemination_barrier, 4>>("dissemination of 4", 4, 0);
    searched::search<members_meet_once<flat_barrier, 4>>("flat of 4", 4, 0);
    return searched::verdict();
  }
  searched::search<members_meet<flat_barrier, 2>>("flat of 2", 2, 3);
  searched::search<members_meet<dissemination_barrier, 3>>("dissemination of 3", 3, 1);
  searched::search<members_meet<tree_barrier, 3>>("tree of 3", 3, 1);
  searched::must_fail<members_meet_once<unordered, 3>>("planted: no order", 3, 1);
  searched::must_fail<members_meet_once<half_ordered, 3>>("planted: release alone", 3, 1);
  searched::must_hold<members_meet_once<ordered, 3>>("the same, ordered", 3, 1);
  return searched::verdict();
}
