// SPDX-License-Identifier: Apache-2.0
#include <pleat/channels/line_ring.hpp>

namespace {

/// More messages than there are lines; what they carry lies beside the ring, in memory that the
/// search watches.
struct messages_cross : rl::test_suite<messages_cross, 2> {
  static constexpr unsigned count = pleat::line_ring::capacity + 2;

  void before() { ring.emplace(pleat::line_ring::in_line); }
  void after() {
    ring.reset();
    searched::forget_atomics();
  }
  void thread(unsigned self) {
    for (unsigned i = 0; i < count; ++i) {
      rl::var<unsigned>& in_line = carried[i % pleat::line_ring::capacity];
      if (self == 0) {
        while (!ring->room()) searched::give_way();
        ring->push(i, 0, sizeof i, [&](std::byte*) { in_line(RL_INFO) = i; });
      } else {
        while (!ring->ready()) searched::give_way();
        RL_ASSERT(ring->front().tag == i && in_line(RL_INFO) == i);
        ring->pop();
      }
    }
  }

  std::optional<pleat::line_ring> ring;
  rl::var<unsigned> carried[pleat::line_ring::capacity];
};

/// Memory that a message points to is the producer's again once the ring is drained.
struct lent_memory_comes_back : rl::test_suite<lent_memory_comes_back, 2> {
  void before() { ring.emplace(pleat::line_ring::in_line); }
  void after() {
    ring.reset();
    searched::forget_atomics();
  }
  void thread(unsigned self) {
    for (unsigned i = 1; i <= 2; ++i) {
      if (self == 0) {
        lent(RL_INFO) = i;
        ring->push(i, 0, 0, [](std::byte*) {});
        if (i == 1)
          while (!ring->drained()) searched::give_way();
        else
          while (ring->taken() != 2) searched::give_way();
        lent(RL_INFO) = 0;
      } else {
        while (!ring->ready()) searched::give_way();
        RL_ASSERT(lent(RL_INFO) == i);
        ring->pop();
      }
    }
  }

  std::optional<pleat::line_ring> ring;
  rl::var<unsigned> lent;
};

}  // namespace

int main() {
  searched::search<messages_cross>("messages", 2);
  searched::search<lent_memory_comes_back>("lent memory", 3);
  return searched::verdict();
}
