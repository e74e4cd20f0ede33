// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/channels/channel.hpp>

#include "seed.hpp"

namespace {

using pleat::channel, pleat::channel_status;
using random_engine = std::mt19937_64;

random_engine engine(std::uint64_t stream) { return random_engine(seed() * 1'000'003 + stream); }

std::size_t between(random_engine& random, std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(random);
}

// Pushes first, first + 1, … below end in random ways. Returns the first number not pushed: end, or
// less if the channel ended.
std::uint64_t push_randomly(channel<std::uint64_t>& c, std::uint64_t first, std::uint64_t end,
                            random_engine random) {
  std::vector<std::uint64_t> batch;
  while (first != end) {
    std::size_t pushed = 0;
    if (between(random, 0, 1) == 0) {
      pushed = c.try_push(first) == channel_status::ok ? 1 : 0;
    } else {
      batch.resize(std::min<std::uint64_t>(between(random, 1, 2 * c.capacity()), end - first));
      for (std::size_t i = 0; i != batch.size(); ++i) batch[i] = first + i;
      pushed = c.try_push(batch);
    }
    first += pushed;
    if (pushed != 0) continue;
    const auto status = c.push_status();
    if (status == channel_status::poisoned || status == channel_status::closed) return first;
    std::this_thread::yield();
  }
  return end;
}

// Takes numbers in random ways until the channel ends. Returns the number after the last if they
// came as expected, first + 1, …; the position of the first surprise is reported as a failure.
std::uint64_t pop_randomly(channel<std::uint64_t>& c, std::uint64_t expected, random_engine random,
                           channel_status& ended) {
  std::vector<std::uint64_t> batch;
  std::uint64_t surprises = 0;
  const auto check = [&](std::uint64_t value) { surprises += value == expected++ ? 0 : 1; };
  for (;;) {
    const auto before = expected;
    std::uint64_t value = 0;
    switch (between(random, 0, 4)) {
      case 0:
        if (c.try_pop(value) == channel_status::ok) check(value);
        break;
      case 1:
        batch.resize(between(random, 1, 2 * c.capacity()));
        batch.resize(c.try_pop(std::span(batch)));
        std::ranges::for_each(batch, check);
        break;
      case 2:
        c.consume(check);
        break;
      case 3:
        c.consume_all(check);
        break;
      default:
        c.consume_up_to(between(random, 1, c.capacity()), check);
    }
    if (expected != before) continue;
    ended = c.pop_status();
    if (ended == channel_status::closed || ended == channel_status::poisoned) break;
    std::this_thread::yield();
  }
  EXPECT_EQ(surprises, 0u);
  return expected;
}

TEST(channel_stress, everything_arrives_once_and_in_order_until_closed) {
  constexpr std::uint64_t count = 100'000;
  std::uint64_t stream = 100;
  auto random = engine(stream++);
  std::vector<std::size_t> capacities{1, 2, 3, 64, 1000};
  for (int i = 0; i != 5; ++i) capacities.push_back(between(random, 1, 300));
  for (const auto capacity : capacities) {
    SCOPED_TRACE("capacity " + std::to_string(capacity));
    const std::uint64_t length =
        capacity < 4 ? count / 10 : count;  // small rings: a handover an item
    channel<std::uint64_t> c(capacity);
    std::uint64_t pushed = 0;
    std::jthread producer([&, to_push = engine(stream++)] {
      pushed = push_randomly(c, 0, length, to_push);
      c.close();
    });
    channel_status ended{};
    EXPECT_EQ(pop_randomly(c, 0, engine(stream++), ended), length);
    EXPECT_EQ(ended, channel_status::closed);
    producer.join();
    EXPECT_EQ(pushed, length);
    EXPECT_TRUE(c.drained());
  }
}

}  // namespace
