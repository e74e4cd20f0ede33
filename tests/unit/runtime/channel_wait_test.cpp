// SPDX-License-Identifier: Apache-2.0
#include "mail/channel_wait.hpp"

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace channel_wait_test {

using pleat::detail::awaited;
using pleat::detail::channel_event;
using pleat::detail::channel_wait;
using pleat::detail::channel_waits;

/// Events of virtual processors, and how often somebody asked for one.
struct events {
  struct event {
    bool happened = false;
    std::size_t* asked = nullptr;
  };

  explicit events(std::size_t n) : of(n, event{false, &asked}) {}

  channel_wait wait_of(std::size_t rank) const {
    const auto look = [](channel_event, const void* at) {
      const auto& one = *static_cast<const event*>(at);
      ++*one.asked;
      return one.happened;
    };
    return {rank + first, 0, awaited{channel_event::value, &of[rank], look}, {}, {}};
  }

  static constexpr std::size_t first = 5;  // rank
  std::size_t asked = 0;
  std::vector<event> of;
};

TEST(channel_waits, of_the_same_worker_are_found_without_a_search) {
  constexpr std::size_t n = 1000;
  events all(n);
  channel_waits waits;
  waits.start({events::first, events::first + n});
  for (std::size_t i = 0; i < n; ++i) waits.add(all.wait_of(i));
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t one = k * 7 % n;
    waits.happened_to(one + events::first);  // nothing has: somebody acts at another channel of it
    EXPECT_FALSE(waits.take_ready());
    all.of[one].happened = true;
    waits.happened_to(one + events::first);
    waits.happened_to(one + events::first);
    const std::optional<channel_wait> taken = waits.take_ready();
    ASSERT_TRUE(taken);
    ASSERT_EQ(taken->rank, one + events::first);
  }
  EXPECT_TRUE(waits.empty());
  EXPECT_LE(all.asked, (2 + channel_waits::some) * n);
}

TEST(channel_waits, of_others_are_all_found_in_whatever_order_they_happen) {
  std::mt19937 random(1);
  constexpr std::size_t n = 100;
  events all(n);
  channel_waits waits;
  waits.start({events::first, events::first + n});
  std::vector<bool> waiting(n);
  for (std::size_t step = 0; step < 20'000; ++step) {
    const std::size_t one = random() % n;
    if (!waiting[one]) {
      all.of[one].happened = false;
      waits.add(all.wait_of(one));
      waiting[one] = true;
      continue;
    }
    all.of[one].happened = true;
    if (random() % 2 == 0) waits.happened_to(one + events::first);
    if (random() % 4 != 0) continue;
    while (waits.any_ready(waits.size())) {
      if (const std::optional<channel_wait> taken = waits.take_ready()) {
        const std::size_t rank = taken->rank - events::first;
        ASSERT_TRUE(waiting[rank] && all.of[rank].happened);
        waiting[rank] = false;
      }
    }
    for (std::size_t i = 0; i < n; ++i) ASSERT_FALSE(waiting[i] && all.of[i].happened);
  }
}

}  // namespace channel_wait_test
