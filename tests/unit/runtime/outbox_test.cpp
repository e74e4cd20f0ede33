// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/outbox.hpp>

namespace outbox_test {

using pleat::detail::byte_buffer, pleat::detail::outbox, pleat::detail::record;
using pleat::detail::record_kind;

struct sent {
  std::uint32_t source, destination;
  std::vector<std::byte> bytes;
  friend bool operator==(const sent&, const sent&) = default;
};

std::vector<const record*> records_of(outbox& box) {
  std::vector<const record*> result;
  const std::byte* at = box.bytes().begin();
  while (at != box.bytes().end()) {
    const auto* r = reinterpret_cast<const record*>(at);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(r) % alignof(record), 0u);
    result.push_back(r);
    at += r->extent();
    EXPECT_LE(at, box.bytes().end());
  }
  return result;
}

std::vector<sent> messages_of(outbox& box) {
  std::vector<sent> result;
  for (const record* r : records_of(box)) {
    for (std::uint32_t i = 0; i < r->count; ++i) {
      const std::byte* first = r->payload() + std::size_t{i} * r->size;
      result.push_back(
          {r->source, static_cast<std::uint32_t>(r->destination), {first, first + r->size}});
    }
  }
  return result;
}

sent random_message(std::mt19937_64& random) {
  static constexpr std::size_t sizes[] = {0, 1, 3, 8, 8, 8, 16, 24, 48};
  sent m{static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3), {}};
  m.bytes.resize(sizes[random() % std::size(sizes)]);
  for (std::byte& b : m.bytes) b = static_cast<std::byte>(random());
  return m;
}

void put(outbox& box, const sent& m) {
  box.send(m.source, m.destination, m.bytes.data(), m.bytes.size());
}

TEST(byte_buffer, begins_on_a_cache_line) {
  for (const std::size_t bytes : {1, 5000, 100000}) {
    byte_buffer buffer;
    (void)buffer.append(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.begin()) % pleat::cache_line, 0u);
  }
}

TEST(byte_buffer, does_not_move_within_what_was_reserved) {
  byte_buffer buffer;
  buffer.reserve(10000);
  const std::byte* first = buffer.append(1);
  for (int i = 1; i < 10000; ++i) (void)buffer.append(1);
  EXPECT_EQ(buffer.begin(), first);
}

TEST(byte_buffer, keeps_its_room_when_cleared_and_none_when_released) {
  byte_buffer buffer;
  (void)buffer.append(10000);
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_GE(buffer.room(), 10000u);
  buffer.release();
  EXPECT_EQ(buffer.room(), 0u);
  (void)buffer.append(1);
  EXPECT_EQ(buffer.size(), 1u);
}

TEST(outbox, gives_back_what_was_sent_in_the_order_it_was_sent) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    outbox box;
    std::vector<sent> expected;
    for (std::size_t n = random() % 200; n > 0; --n) {
      expected.push_back(random_message(random));
      put(box, expected.back());
      if (random() % 5 == 0) box.close();
    }
    ASSERT_EQ(messages_of(box), expected);
    ASSERT_EQ(box.empty(), expected.empty());
  }
}

TEST(outbox, runs_equal_messages_to_one_destination_together) {
  outbox box;
  for (std::uint64_t i = 0; i < 1000; ++i) box.send(1, 2, &i, sizeof i);
  ASSERT_EQ(records_of(box).size(), 1u);
  EXPECT_EQ(records_of(box)[0]->count, 1000u);
  EXPECT_EQ(messages_of(box).size(), 1000u);
}

TEST(outbox, starts_a_record_for_another_route_or_size_and_after_close) {
  const std::uint64_t words[2] = {1, 2};
  outbox box;
  box.send(1, 2, words, 8);
  box.send(1, 3, words, 8);
  box.send(0, 3, words, 8);
  box.send(0, 3, words, 16);
  box.close();
  box.send(0, 3, words, 16);
  EXPECT_EQ(records_of(box).size(), 5u);
}

TEST(outbox, reaches_across_every_bit_in_which_ends_differ) {
  outbox box;
  EXPECT_EQ(box.reach(), 0u);
  const int x = 0;
  box.send(5, 5, &x, sizeof x);
  EXPECT_EQ(box.reach(), 0u);
  box.send(4, 5, &x, sizeof x);
  EXPECT_EQ(box.reach(), 1u);
  box.send(0, 8, &x, sizeof x);
  EXPECT_EQ(box.reach(), 9u);
  box.discard();
  EXPECT_EQ(box.reach(), 0u);
  EXPECT_TRUE(box.empty());
}

TEST(outbox, filters_without_changing_the_order) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    outbox box;
    std::vector<sent> before, stay, left;
    for (std::size_t n = random() % 50; n > 0; --n) {
      before.push_back(random_message(random));
      put(box, before.back());
    }
    box.close();
    const std::size_t position = box.position();
    for (std::size_t n = random() % 50; n > 0; --n) {
      const sent m = random_message(random);
      (m.destination == 1 ? left : stay).push_back(m);
      put(box, m);
    }
    outbox gone;
    box.filter(
        position, [](const record& r) { return r.destination != 1; },
        [&](const record& r) { gone.append(r); });
    std::vector<sent> expected = before;
    expected.insert(expected.end(), stay.begin(), stay.end());
    ASSERT_EQ(messages_of(box), expected);
    ASSERT_EQ(messages_of(gone), left);
    std::uint64_t needed = 0, gone_needs = 0;
    for (const sent& m : expected) needed |= m.source ^ m.destination;
    for (const sent& m : left) gone_needs |= m.source ^ m.destination;
    ASSERT_EQ(box.reach() & needed, needed) << "reach covers all that is held";
    ASSERT_EQ(gone.reach(), gone_needs);
    if (before.empty()) {
      ASSERT_EQ(box.reach(), needed);
    }
  }
}

}  // namespace outbox_test
