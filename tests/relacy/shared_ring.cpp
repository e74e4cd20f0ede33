// SPDX-License-Identifier: Apache-2.0
// Rings between processes of a node.
#include "shared_ring.hpp"

namespace {

using namespace pleat::mpi;

/// Messages of one slot and of two, more than there is room for, and memory that is the sender's
/// again once the ring is drained.
template <unsigned count> struct messages_cross : searched::test {
  static constexpr std::uint32_t slots = 4;

  void thread(unsigned self) override {
    if (self == 0) {
      for (unsigned i = 1; i <= count; ++i) {
        lent = i;
        while (!sender.has_room_for(i == 2 ? shared_ring::slot_bytes + 8 : 4)) searched::give_way();
        sender.send([&](const auto& put) {
          if (i == 2) put(page.data(), shared_ring::slot_bytes);
          put(&i, sizeof i);
        });
        while (!sender.drained()) searched::give_way();
      }
      for (unsigned i = 1; i < slots + 1; ++i) {
        while (!sender.has_room_for(0)) searched::give_way();
        sender.send_empty();
      }
      return;
    }
    for (unsigned i = 1; i <= count; ++i) {
      for (unsigned slot = 0; slot < (i == 2 ? 2 : 1); ++slot) {
        while (!receiver.ready()) searched::give_way();
        searched::require(lent == i);
        const auto content = receiver.content();
        unsigned value = 0;
        if (content.size() == 4 || content.size() == 12)
          std::memcpy(&value, content.data() + content.size() - 4, 4),
              searched::require(value == i);
        receiver.pop();
      }
    }
    for (unsigned i = 1; i < slots + 1; ++i) {
      while (!receiver.ready()) searched::give_way();
      searched::require(receiver.content().empty());
      receiver.pop();
    }
  }

  shared_ring ring;
  ring_sender sender{&ring, slots};
  ring_receiver receiver{&ring, slots};
  std::array<std::byte, shared_ring::slot_bytes> page{};
  unsigned lent = 0;
};

}  // namespace

int main() {
  searched::search<messages_cross<2>>("messages", 2, 2);
  return searched::verdict();
}
