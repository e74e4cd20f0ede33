// SPDX-License-Identifier: Apache-2.0
#include <pleat/channels/line_ring.hpp>

namespace {

/// More messages than there are lines.
struct messages_cross : searched::test {
  void thread(unsigned self) override {
    for (unsigned i = 0; i < pleat::line_ring::capacity + 2; ++i) {
      if (self == 0) {
        while (!ring.room()) searched::give_way();
        ring.push(i, 0, sizeof i, [&](std::byte* to) { std::memcpy(to, &i, sizeof i); });
      } else {
        while (!ring.ready()) searched::give_way();
        unsigned carried;
        std::memcpy(&carried, ring.front().data, sizeof carried);
        searched::require(ring.front().tag == i && carried == i);
        ring.pop();
      }
    }
  }

  pleat::line_ring ring{pleat::line_ring::in_line};
};

/// Memory that a message points to is the producer's again once the ring is drained.
struct lent_memory_comes_back : searched::test {
  void thread(unsigned self) override {
    for (unsigned i = 1; i <= 2; ++i) {
      if (self == 0) {
        lent = i;
        ring.push(i, 0, 0, [](std::byte*) {});
        if (i == 1)
          while (!ring.drained()) searched::give_way();
        else
          while (ring.taken() != 2) searched::give_way();
        lent = 0;
      } else {
        while (!ring.ready()) searched::give_way();
        searched::require(lent == i);
        ring.pop();
      }
    }
  }

  pleat::line_ring ring{pleat::line_ring::in_line};
  unsigned lent = 0;
};

}  // namespace

int main() {
  searched::search<messages_cross>("messages", 2, 2);
  searched::search<lent_memory_comes_back>("lent memory", 2, 3);
  return searched::verdict();
}
