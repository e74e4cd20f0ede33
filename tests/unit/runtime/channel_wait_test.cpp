// SPDX-License-Identifier: Apache-2.0
#include "mail/channel_wait.hpp"

#include <cstddef>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace channel_wait_test {

using pleat::detail::awaited, pleat::detail::channel_event, pleat::detail::channel_wait;
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

}  // namespace channel_wait_test
