// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <pleat/channels/line_ring.hpp>

namespace line_ring_test {

using pleat::line_ring;

std::byte pattern(std::uint32_t message, std::size_t at) {
  return static_cast<std::byte>(message * 31 + at * 7 + 1);
}

void push(line_ring& ring, std::uint32_t number, std::uint32_t bytes) {
  ring.push(number, static_cast<std::uint16_t>(number % 5), bytes, [&](std::byte* to) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = pattern(number, i);
  });
}

// Tells whether the oldest message is that one; and lets it go.
bool pops(line_ring& ring, std::uint32_t number, std::uint32_t bytes) {
  const line_ring::message m = ring.front();
  bool right = m.tag == number && m.mark == number % 5 && m.bytes == bytes;
  for (std::size_t i = 0; right && i < bytes; ++i) right = m.data[i] == pattern(number, i);
  ring.pop();
  return right;
}

TEST(line_ring, carries_every_size_in_order) {
  line_ring ring;
  for (std::uint32_t bytes = 0; bytes <= line_ring::largest; ++bytes) {
    push(ring, bytes, bytes);
    EXPECT_FALSE(ring.drained());
    ASSERT_TRUE(ring.ready());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ring.front().data) % 64, 0u);
    ASSERT_TRUE(pops(ring, bytes, bytes)) << bytes;
    EXPECT_TRUE(ring.drained());
  }
}

TEST(line_ring, holds_as_many_as_it_says) {
  line_ring ring;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t k = 0; k < line_ring::capacity; ++k) {
      ASSERT_TRUE(ring.room());
      push(ring, k, k * 100);
    }
    EXPECT_FALSE(ring.room());
    for (std::uint32_t k = 0; k < line_ring::capacity; ++k) {
      ASSERT_TRUE(ring.ready());
      ASSERT_TRUE(pops(ring, k, k * 100));
      EXPECT_TRUE(ring.room());
    }
    EXPECT_FALSE(ring.ready());
  }
}

TEST(line_ring, for_smaller_messages_carries_all_up_to_what_it_says) {
  for (const std::size_t most : {0u, 48u, 49u, 100u, 112u, 960u}) {
    line_ring ring(most);
    ASSERT_GE(ring.most(), most);
    ASSERT_LE(ring.most(), line_ring::largest);
    for (std::uint32_t round = 0; round < 20; ++round) {  // full, so that neighbours would suffer
      const auto bytes = static_cast<std::uint32_t>(ring.most() - round % 3);
      for (std::uint32_t k = 0; k < line_ring::capacity; ++k) push(ring, k, bytes);
      for (std::uint32_t k = 0; k < line_ring::capacity; ++k) ASSERT_TRUE(pops(ring, k, bytes));
    }
  }
}

TEST(line_ring, carries_a_stream_between_two_threads) {
  constexpr std::uint32_t messages = 20'000;
  const auto bytes_of = [](std::uint32_t k) {
    const std::size_t most = k % 7 == 0 ? line_ring::largest : line_ring::in_line;
    return static_cast<std::uint32_t>(k % (most + 1));
  };
  line_ring ring;
  std::uint32_t wrong = 0;
  std::thread consumer([&] {
    for (std::uint32_t k = 0; k < messages; ++k) {
      while (!ring.ready()) std::this_thread::yield();
      wrong += !pops(ring, k, bytes_of(k));
    }
  });
  for (std::uint32_t k = 0; k < messages; ++k) {
    while (!ring.room()) std::this_thread::yield();
    push(ring, k, bytes_of(k));
  }
  while (!ring.drained()) std::this_thread::yield();
  consumer.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace line_ring_test
