// SPDX-License-Identifier: Apache-2.0
// Rings of push and pop, and the tables in which both ends find them.
#include "base/abi.cpp"
#include "engine/vp_rings.hpp"

namespace {

using namespace pleat::detail;

/// Messages of a word and of two, behind some that have been pushed before, and some that have
/// been popped.
template <unsigned pushed, unsigned popped, unsigned more> struct messages_cross : searched::test {
  messages_cross() {
    for (unsigned i = 0; i < pushed; ++i) push(i);
    for (unsigned i = 0; i < popped; ++i) pop(i);
  }
  void push(unsigned i) {
    const std::uint64_t words[2] = {i, i};
    while (!ring.room()) searched::give_way();
    ring.push(words, 1 + i % 2);
  }
  void pop(unsigned i) {
    std::uint64_t words[2];
    while (!ring.ready()) searched::give_way();
    ring.pop(words, 1 + i % 2);
    searched::require(words[0] == i);
  }
  void thread(unsigned self) override {
    for (unsigned i = 0; i < more; ++i) self == 0 ? push(pushed + i) : pop(popped + i);
  }

  push_ring ring;
};

/// Either end makes the ring; a third thread sees all rings that are known to it.
struct ends_meet : searched::test {
  void thread(unsigned self) override {
    if (self < 2) {
      push_ring& ring = table.find(ring_ends(0, 1, 2));
      std::uint64_t word = 5;
      if (self == 0) return ring.push(&word, 1);
      while (!ring.ready()) searched::give_way();
      ring.pop(&word, 1);
      return searched::require(word == 5);
    }
    while (table.all().empty()) searched::give_way();
    searched::require(table.all().size() == 1);
  }

  ring_table<push_ring> table;
};

}  // namespace

int main() {
  searched::search<messages_cross<0, 0, 3>>("push and pop", 2, 3);
  searched::search<messages_cross<64, 0, 3>>("a full ring", 2, 3);
  searched::search<ends_meet>("ends meet", 3, 2);
  return searched::verdict();
}
