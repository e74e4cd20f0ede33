// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <pleat/channels/slot.hpp>

namespace slot_test {

using pleat::lent_block, pleat::slot, pleat::slot_kind;

struct full_payload {
  std::array<std::uint64_t, 6> words;
};

// Trivially copyable, but a value must be given to make one.
struct without_default {
  explicit without_default(int n) : number(n) {}
  int number;
};

template <class T> constexpr bool fits = pleat::slot_value<T>;

static_assert(fits<char> && fits<double> && fits<full_payload> && fits<without_default>);
static_assert(fits<std::array<char, 48>> && !fits<std::array<char, 49>>);
static_assert(!fits<std::string> && !fits<const int> && !fits<int&>);

TEST(slot, is_one_cache_line_in_an_array_too) {
  const slot slots[2] = {};
  EXPECT_EQ(sizeof slots, 2 * pleat::cache_line);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&slots[1]) % pleat::cache_line, 0u);
}

TEST(slot, zero_bytes_are_an_empty_slot) {
  const slot s{};
  EXPECT_EQ(s.kind(), slot_kind::empty);
  EXPECT_EQ(s.size(), 0u);
  EXPECT_TRUE(s.bytes().empty());
  EXPECT_EQ(s.source(), 0u);
  EXPECT_EQ(s.destination(), 0u);
  EXPECT_EQ(s.tag(), 0u);
  EXPECT_EQ(s.mark(), 0u);
}

TEST(slot, gives_back_the_value_put) {
  slot s{};
  s.put(-1.5);
  EXPECT_EQ(s.kind(), slot_kind::value);
  EXPECT_EQ(s.size(), sizeof(double));
  EXPECT_EQ(s.get<double>(), -1.5);

  s.put('x');
  EXPECT_EQ(s.size(), 1u);
  EXPECT_EQ(s.get<char>(), 'x');

  s.put(full_payload{{1, 2, 3, 4, 5, std::numeric_limits<std::uint64_t>::max()}});
  EXPECT_EQ(s.size(), pleat::slot_payload);
  EXPECT_EQ(
      s.get<full_payload>().words,
      (std::array<std::uint64_t, 6>{1, 2, 3, 4, 5, std::numeric_limits<std::uint64_t>::max()}));
}

TEST(slot, carries_a_type_that_has_no_default_constructor) {
  slot s{};
  s.put(without_default(7));
  EXPECT_EQ(s.get<without_default>().number, 7);
}

TEST(slot, payload_is_aligned_for_every_type_that_fits) {
  slot s{};
  s.put(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s.bytes().data()) % alignof(std::max_align_t), 0u);
  EXPECT_EQ(static_cast<const void*>(s.bytes().data()), static_cast<const void*>(&s));
}

TEST(slot, describes_lent_memory_without_touching_it) {
  int grid[4][10] = {};
  const lent_block block{.data = &grid[1][2],
                         .rows = 3,
                         .columns = 5,
                         .stride = 10,
                         .element_size = sizeof(int),
                         .owner = 12,
                         .writable = true};
  slot s{};
  s.put(block);
  EXPECT_EQ(s.kind(), slot_kind::lent);
  EXPECT_EQ(s.lent(), block);
  EXPECT_EQ(s.lent().count(), 15u);
  EXPECT_FALSE(s.lent().contiguous());
  static_cast<int*>(s.lent().data)[0] = 9;
  EXPECT_EQ(grid[1][2], 9);
}

TEST(slot, lent_block_is_contiguous_if_one_row_or_rows_follow_each_other) {
  lent_block block{};
  block.rows = 1, block.columns = 5, block.stride = 99;
  EXPECT_TRUE(block.contiguous());
  block.rows = 3, block.stride = 5;
  EXPECT_TRUE(block.contiguous());
  block.stride = 6;
  EXPECT_FALSE(block.contiguous());
  block.rows = 0;
  EXPECT_TRUE(block.contiguous());
  EXPECT_EQ(block.count(), 0u);
}

#ifndef NDEBUG
TEST(slot_death, asserts_that_what_is_got_was_put) {
  slot s{};
  EXPECT_DEATH(static_cast<void>(s.get<int>()), "get what was put");
  s.put(1);
  EXPECT_DEATH(static_cast<void>(s.get<long>()), "get what was put");
  EXPECT_DEATH(static_cast<void>(s.lent()), "only a lent payload");
  const std::array<std::byte, pleat::slot_payload + 1> too_much{};
  EXPECT_DEATH(s.put_bytes(too_much), "larger payloads are lent");
}
#endif

}  // namespace slot_test
