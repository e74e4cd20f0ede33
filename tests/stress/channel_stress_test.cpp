// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/slot.hpp>

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

// The smallest window: the consumer looks while the last element and the close arrive.
TEST(channel_stress, closed_comes_after_the_last_element_and_carries_what_was_written_before) {
  constexpr std::uint64_t turns = 20'000;
  std::vector<std::unique_ptr<channel<std::uint64_t>>> channels;
  for (std::uint64_t turn = 0; turn != turns; ++turn) {
    channels.push_back(std::make_unique<channel<std::uint64_t>>(3));
  }
  std::vector<std::uint64_t> lengths(turns);  // not atomic: close must order them
  std::jthread producer([&, random = engine(800)]() mutable {
    for (std::uint64_t turn = 0; turn != turns; ++turn) {
      const auto length = between(random, 0, 3);
      for (std::uint64_t i = 0; i != length; ++i) channels[turn]->try_push(i);
      lengths[turn] = length;
      channels[turn]->close();
    }
  });
  std::uint64_t wrong = 0;
  for (std::uint64_t turn = 0; turn != turns; ++turn) {
    std::uint64_t popped = 0, value = 0;
    for (auto status = channel_status::empty; status != channel_status::closed;) {
      status = channels[turn]->try_pop(value);
      if (status == channel_status::ok) wrong += value == popped++ ? 0 : 1;
    }
    wrong += popped == lengths[turn] ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(channel_stress, poison_from_a_third_thread_ends_both_and_carries_its_reason) {
  auto random = engine(200);
  for (std::uint64_t turn = 0; turn != 50; ++turn) {
    channel<std::uint64_t> c(between(random, 1, 64));
    std::uint64_t reason = 0;  // not atomic: poison must order it
    std::atomic<std::uint64_t> progress{0};
    const std::uint64_t moment = between(random, 0, 2000);
    std::uint64_t pushed = 0, producer_saw = 0, watcher_saw = 0;
    std::jthread producer([&, to_push = engine(1000 + turn)]() mutable {
      while (c.push_status() != channel_status::poisoned) {
        const std::uint64_t next = push_randomly(c, pushed, pushed + 100, random_engine(to_push()));
        progress.fetch_add(next - pushed, std::memory_order_relaxed);  // a count, orders nothing
        pushed = next;
      }
      producer_saw = reason;
    });
    std::jthread poisoner([&] {
      while (progress.load(std::memory_order_relaxed) < moment) std::this_thread::yield();
      reason = turn + 1;
      c.poison();
    });
    std::jthread watcher([&] {
      while (!c.poisoned()) std::this_thread::yield();
      watcher_saw = reason;
    });
    channel_status ended{};
    const auto popped = pop_randomly(c, 0, engine(2000 + turn), ended);
    EXPECT_EQ(ended, channel_status::poisoned);
    EXPECT_EQ(reason, turn + 1);
    producer.join();
    poisoner.join();
    watcher.join();
    EXPECT_EQ(producer_saw, turn + 1);
    EXPECT_EQ(watcher_saw, turn + 1);
    EXPECT_LE(popped, pushed);
  }
}

// The producer lends one block again and again; nothing but drained() says when it may write to it.
TEST(channel_stress, a_drained_channel_gives_lent_memory_back) {
  constexpr std::size_t length = 256;
  constexpr std::uint32_t loans = 3000;
  for (const bool all_at_once : {false, true}) {
    channel<pleat::slot> c(4);
    std::vector<std::uint32_t> memory(length);
    std::jthread producer([&] {
      for (std::uint32_t loan = 1; loan <= loans; ++loan) {
        std::ranges::fill(memory, loan);
        for (std::size_t half = 0; half != 2; ++half) {
          pleat::slot s{};
          s.address(0, 1, loan);
          s.put(pleat::lent_block{.data = memory.data() + half * length / 2,
                                  .rows = 1,
                                  .columns = length / 2,
                                  .stride = length / 2,
                                  .element_size = sizeof(std::uint32_t),
                                  .owner = 0,
                                  .writable = false});
          while (c.try_push(s) != channel_status::ok) std::this_thread::yield();
        }
        while (!c.drained()) std::this_thread::yield();
      }
      c.close();
    });
    std::uint64_t wrong = 0, blocks = 0;
    const auto read_it = [&](const pleat::slot& s) {
      const auto block = s.lent();
      const std::span values(static_cast<const std::uint32_t*>(block.data), block.count());
      for (const auto value : values) wrong += value == s.tag() ? 0 : 1;
      ++blocks;
    };
    while (c.pop_status() != channel_status::closed) {
      const bool some =
          all_at_once ? c.consume_all(read_it) != 0 : c.consume(read_it) == channel_status::ok;
      if (!some) std::this_thread::yield();
    }
    producer.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(blocks, 2u * loans);
  }
}

}  // namespace
