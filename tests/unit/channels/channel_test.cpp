// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/channels/channel.hpp>
#include <pleat/channels/slot.hpp>

namespace channel_test {

using pleat::channel, pleat::channel_status;

// Types that a channel may carry, and others.
struct with_initialiser {
  int number = 3;
};
struct without_default {
  explicit without_default(int n) : number(n) {}
  int number;
};
static_assert(pleat::channel_element<long> && pleat::channel_element<pleat::slot>);
static_assert(pleat::channel_element<with_initialiser> && pleat::channel_element<int*>);
static_assert(!pleat::channel_element<std::string> && !pleat::channel_element<const int>);
static_assert(!pleat::channel_element<without_default> && !pleat::channel_element<int&>);

static_assert(!std::is_copy_constructible_v<channel<int>> &&
              !std::is_move_assignable_v<channel<int>>);
static_assert(alignof(channel<char>) == pleat::destructive_distance);
static_assert(sizeof(channel<char>) % pleat::destructive_distance == 0);

std::vector<int> numbers(int first, int count) {
  std::vector<int> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

std::vector<int> pop_all(channel<int>& c) {
  std::vector<int> result;
  for (int value = 0; c.try_pop(value) == channel_status::ok;) result.push_back(value);
  return result;
}

TEST(channel, refuses_a_capacity_no_channel_can_have) {
  EXPECT_THROW(channel<int>{0}, pleat::capacity_error);
  EXPECT_THROW(channel<int>{std::numeric_limits<std::size_t>::max()}, pleat::capacity_error);
  EXPECT_THROW(channel<int>{channel<int>::max_capacity() + 1}, pleat::capacity_error);
  EXPECT_THROW(channel<int>{0}, pleat::usage_error);
}

TEST(channel, holds_exactly_its_capacity) {
  for (const std::size_t capacity : {1u, 2u, 3u, 7u, 8u, 100u}) {
    channel<int> c(capacity);
    EXPECT_EQ(c.capacity(), capacity);
    for (std::size_t i = 0; i != capacity; ++i) {
      EXPECT_EQ(c.room(), capacity - i);
      EXPECT_EQ(c.size(), i);
      EXPECT_EQ(c.push_status(), channel_status::ok);
      EXPECT_EQ(c.try_push(int(i)), channel_status::ok);
    }
    EXPECT_EQ(c.push_status(), channel_status::full);
    EXPECT_EQ(c.try_push(-1), channel_status::full);
    EXPECT_EQ(c.room(), 0u);
    EXPECT_EQ(pop_all(c), numbers(0, int(capacity)));
  }
}

TEST(channel, bulk_keeps_order_at_every_offset_of_the_ring) {
  constexpr std::size_t capacity = 7;
  for (std::size_t offset = 0; offset != 2 * capacity; ++offset) {
    for (std::size_t count = 1; count <= capacity; ++count) {
      channel<int> c(capacity);
      int skipped = 0;
      for (std::size_t i = 0; i != offset; ++i) {
        ASSERT_EQ(c.try_push(0), channel_status::ok);
        ASSERT_EQ(c.try_pop(skipped), channel_status::ok);
      }
      const auto values = numbers(10, int(count));
      std::vector<int> out(count);
      ASSERT_EQ(c.try_push(values), count);
      ASSERT_EQ(c.try_pop(std::span(out)), count);
      ASSERT_EQ(out, values);
      ASSERT_TRUE(c.drained());
    }
  }
}

TEST(channel, consume_releases_the_slot_only_after_the_functor) {
  channel<int> c(1);
  ASSERT_EQ(c.try_push(1), channel_status::ok);
  int seen = 0;
  EXPECT_EQ(c.consume([&](const int& value) {
    seen = value;
    EXPECT_FALSE(c.drained());  // what the producer sees meanwhile
    EXPECT_EQ(c.push_status(), channel_status::full);
  }),
            channel_status::ok);
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(c.drained());
  EXPECT_EQ(c.push_status(), channel_status::ok);
}

TEST(channel, consume_all_releases_the_slots_only_after_the_last_functor) {
  channel<int> c(4);
  ASSERT_EQ(c.try_push(numbers(0, 4)), 4u);
  std::vector<int> seen;
  EXPECT_EQ(c.consume_all([&](int value) {
    seen.push_back(value);
    EXPECT_EQ(c.room(), 0u);
  }),
            4u);
  EXPECT_EQ(seen, numbers(0, 4));
  EXPECT_EQ(c.room(), 4u);
  EXPECT_EQ(c.consume_all([](int) {}), 0u);
}

TEST(channel, consume_up_to_stops_at_its_limit_or_when_empty) {
  channel<int> c(8);
  ASSERT_EQ(c.try_push(numbers(0, 5)), 5u);
  std::vector<int> seen;
  const auto keep = [&](int value) { seen.push_back(value); };
  EXPECT_EQ(c.consume_up_to(0, keep), 0u);
  EXPECT_EQ(c.consume_up_to(3, keep), 3u);
  EXPECT_EQ(seen, numbers(0, 3));
  EXPECT_EQ(c.size(), 2u);
  EXPECT_EQ(c.consume_up_to(100, keep), 2u);
  EXPECT_EQ(seen, numbers(0, 5));
}

TEST(channel, an_exception_from_the_functor_leaves_the_element) {
  channel<int> c(4);
  ASSERT_EQ(c.try_push(numbers(0, 4)), 4u);
  const auto refuse_one = [](int value) {
    if (value == 1) throw std::runtime_error("one");
  };
  EXPECT_THROW(c.consume_up_to(4, refuse_one), std::runtime_error);
  EXPECT_EQ(c.size(), 3u);
  EXPECT_THROW(c.consume(refuse_one), std::runtime_error);
  EXPECT_THROW(c.consume_all(refuse_one), std::runtime_error);
  EXPECT_EQ(pop_all(c), numbers(1, 3));
}

TEST(channel, promises_not_to_throw_where_the_functor_does_not) {
  channel<int> c(1);
  const auto quiet = [](int) noexcept {};
  const auto loud = [](int) {};
  EXPECT_TRUE(noexcept(c.consume(quiet))&& noexcept(c.consume_all(quiet)));
  EXPECT_FALSE(noexcept(c.consume(loud)) || noexcept(c.consume_up_to(1, loud)));
}

TEST(channel, drained_says_whether_everything_pushed_was_let_go) {
  channel<int> c(3);
  EXPECT_TRUE(c.drained());
  for (int turn = 0; turn != 10; ++turn) {
    ASSERT_EQ(c.try_push(numbers(0, 2)), 2u);
    EXPECT_FALSE(c.drained());
    int value = 0;
    ASSERT_EQ(c.try_pop(value), channel_status::ok);
    EXPECT_FALSE(c.drained());
    ASSERT_EQ(c.try_pop(value), channel_status::ok);
    EXPECT_TRUE(c.drained());
  }
}

TEST(channel, close_lets_the_consumer_have_the_rest) {
  channel<int> c(4);
  ASSERT_EQ(c.try_push(numbers(0, 3)), 3u);
  c.close();
  c.close();
  EXPECT_EQ(c.try_push(9), channel_status::closed);
  EXPECT_EQ(c.try_push(numbers(9, 1)), 0u);
  EXPECT_EQ(c.push_status(), channel_status::closed);
  EXPECT_EQ(c.pop_status(), channel_status::ok);
  EXPECT_FALSE(c.drained());
  int value = -1;
  EXPECT_EQ(c.try_pop(value), channel_status::ok);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(c.consume([&](int next) { value = next; }), channel_status::ok);
  EXPECT_EQ(value, 1);
  std::array<int, 4> out{};
  EXPECT_EQ(c.try_pop(out), 1u);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(c.try_pop(value), channel_status::closed);
  EXPECT_EQ(c.pop_status(), channel_status::closed);
  EXPECT_EQ(c.consume([](int) {}), channel_status::closed);
  EXPECT_EQ(c.consume_all([](int) {}), 0u);
  EXPECT_EQ(c.try_pop(out), 0u);
  EXPECT_TRUE(c.drained());
}

void expect_poisoned(channel<int>& c) {
  int value = 42;
  std::array<int, 2> out{};
  const auto never = [](int) { FAIL() << "a poisoned channel delivers nothing"; };
  EXPECT_TRUE(c.poisoned());
  EXPECT_EQ(c.try_push(1), channel_status::poisoned);
  EXPECT_EQ(c.try_push(numbers(0, 2)), 0u);
  EXPECT_EQ(c.push_status(), channel_status::poisoned);
  EXPECT_EQ(c.try_pop(value), channel_status::poisoned);
  EXPECT_EQ(value, 42);
  EXPECT_EQ(c.try_pop(out), 0u);
  EXPECT_EQ(c.pop_status(), channel_status::poisoned);
  EXPECT_EQ(c.consume(never), channel_status::poisoned);
  EXPECT_EQ(c.consume_all(never), 0u);
  EXPECT_EQ(c.consume_up_to(2, never), 0u);
}

TEST(channel, poison_ends_both_sides_at_once) {
  channel<int> c(4);
  EXPECT_FALSE(c.poisoned());
  ASSERT_EQ(c.try_push(numbers(0, 3)), 3u);
  c.poison();
  expect_poisoned(c);
  EXPECT_FALSE(c.drained());
  c.poison();
  expect_poisoned(c);
}

TEST(channel, poison_is_stronger_than_close_in_either_order) {
  channel<int> closed_first(2), poisoned_first(2);
  closed_first.close();
  closed_first.poison();
  expect_poisoned(closed_first);
  poisoned_first.poison();
  poisoned_first.close();
  expect_poisoned(poisoned_first);
}

TEST(channel, reset_opens_it_again_and_empty) {
  channel<int> c(3);
  ASSERT_EQ(c.try_push(numbers(0, 2)), 2u);
  c.close();
  c.poison();
  c.reset();
  EXPECT_FALSE(c.poisoned());
  EXPECT_TRUE(c.drained());
  EXPECT_EQ(c.pop_status(), channel_status::empty);
  EXPECT_EQ(c.try_push(numbers(5, 3)), 3u);
  EXPECT_EQ(c.push_status(), channel_status::full);
  EXPECT_EQ(pop_all(c), numbers(5, 3));
}

TEST(channel, carries_slots_line_by_line) {
  channel<pleat::slot> c(3);
  pleat::slot out{};
  for (std::uint32_t i = 0; i != 10; ++i) {
    pleat::slot in{};
    in.address(i, i + 1, i + 2);
    in.put(double(i));
    ASSERT_EQ(c.try_push(in), channel_status::ok);
    ASSERT_EQ(c.consume([&](const pleat::slot& s) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&s) % pleat::cache_line, 0u);
      out = s;
    }),
              channel_status::ok);
    EXPECT_EQ(out.source(), i);
    EXPECT_EQ(out.get<double>(), double(i));
  }
}

TEST(channel, carries_types_with_initialisers) {
  channel<with_initialiser> c(2);
  ASSERT_EQ(c.try_push(with_initialiser{8}), channel_status::ok);
  with_initialiser out;
  ASSERT_EQ(c.try_pop(out), channel_status::ok);
  EXPECT_EQ(out.number, 8);
}

}  // namespace channel_test
