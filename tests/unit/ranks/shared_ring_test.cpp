// SPDX-License-Identifier: Apache-2.0
// The ring between two processes of a node, here between two threads.
#include "../../ranks/mpi/src/shared_ring.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "seed.hpp"

namespace shared_ring_test {

using pleat::mpi::ring_receiver, pleat::mpi::ring_sender, pleat::mpi::shared_ring;

/// Lengths around those at which a message needs one slot more, or does not fit.
std::vector<std::size_t> some_lengths(const ring_sender& to, std::size_t count) {
  std::mt19937_64 random(seed());
  std::vector<std::size_t> lengths(count);
  for (std::size_t& each : lengths) {
    const std::size_t slots = random() % (to.longest() / shared_ring::slot_bytes + 1);
    const std::size_t near = slots * shared_ring::slot_bytes + random() % 5;
    each = std::clamp<std::size_t>(random() % 2 == 0 ? near : random() % 100, 1, to.longest());
  }
  return lengths;
}

std::byte content(std::size_t message, std::size_t i) {
  return static_cast<std::byte>(message * 31 + i * 7 + i / 251);
}

struct empty_ring {
  shared_ring* ring = new shared_ring;
  ~empty_ring() { delete ring; }
};

TEST(shared_ring, carries_messages_of_all_lengths_in_order) {
  for (const std::uint32_t slots : {2U, 4U, 16U}) {
    const empty_ring memory;
    const std::size_t count = 400;
    const std::vector<std::size_t> lengths = some_lengths(ring_sender(memory.ring, slots), count);
    std::thread sending([&] {
      ring_sender to(memory.ring, slots);
      std::vector<std::byte> message;
      for (std::size_t k = 0; k < count; ++k) {
        message.resize(lengths[k]);
        for (std::size_t i = 0; i < message.size(); ++i) message[i] = content(k, i);
        const std::size_t half = message.size() / 2;  // in two parts, and an empty one
        while (!to.has_room_for(message.size())) std::this_thread::yield();
        to.send([&](const auto& put) {
          put(message.data(), half);
          put(nullptr, 0);
          put(message.data() + half, message.size() - half);
        });
      }
    });
    ring_receiver from(memory.ring, slots);
    std::vector<std::byte> got;
    for (std::size_t k = 0; k < count; ++k) {
      got.clear();
      while (got.size() < lengths[k]) {
        while (!from.ready()) std::this_thread::yield();
        const std::span<const std::byte> slot = from.content();
        const std::size_t rest = lengths[k] - got.size();
        ASSERT_EQ(slot.size(), std::min(rest, shared_ring::slot_bytes));
        got.insert(got.end(), slot.begin(), slot.end());
        from.pop();
      }
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], content(k, i)) << k;
    }
    EXPECT_FALSE(from.ready());
    sending.join();
  }
}

TEST(shared_ring, has_a_slot_for_the_empty_message_when_it_is_full) {
  const empty_ring memory;
  ring_sender to(memory.ring, 4);
  ring_receiver from(memory.ring, 4);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(to.drained());
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(to.has_room_for(1));
      to.send([](const auto& put) { put("x", 1); });
    }
    EXPECT_FALSE(to.has_room_for(1));
    EXPECT_FALSE(to.drained());
    to.send_empty();
    for (const std::size_t bytes : {1, 1, 1, 0}) {
      ASSERT_TRUE(from.ready());
      EXPECT_EQ(from.content().size(), bytes);
      from.pop();
    }
    EXPECT_FALSE(from.ready());
  }
}

}  // namespace shared_ring_test
