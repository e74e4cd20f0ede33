// SPDX-License-Identifier: Apache-2.0
#include "runtime/channel_kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/rivals/cached_ring.hpp"

namespace channel_kernels_test {

using pleat::bench::cached_ring;
using pleat::bench::items_per_second;
using pleat::bench::ring_kind;
using pleat::bench::round_trip_ns;

constexpr auto both_kinds = std::array{ring_kind::channel, ring_kind::cached_ring};
constexpr unsigned no_such_pu = 1023;  // the last a cpu_set_t can name

TEST(cached_ring, holds_exactly_its_capacity_and_keeps_order) {
  EXPECT_THROW(cached_ring<int>{6}, std::invalid_argument);
  EXPECT_THROW(cached_ring<int>{0}, std::invalid_argument);
  cached_ring<std::size_t> ring(8);
  std::size_t value = 0;
  for (std::size_t turn = 0; turn != 5; ++turn) {
    EXPECT_FALSE(ring.try_pop(value));
    for (std::size_t i = 0; i != 8; ++i) EXPECT_TRUE(ring.try_push(i + turn));
    EXPECT_FALSE(ring.try_push(99));
    for (std::size_t i = 0; i != 8; ++i) {
      EXPECT_TRUE(ring.try_pop(value));
      EXPECT_EQ(value, i + turn);
    }
  }
}

TEST(cached_ring, bulk_keeps_order_at_every_offset) {
  for (std::size_t offset = 0; offset != 16; ++offset) {
    cached_ring<std::size_t> ring(8);
    std::size_t skipped = 0;
    for (std::size_t i = 0; i != offset; ++i) {
      ASSERT_TRUE(ring.try_push(i));
      ASSERT_TRUE(ring.try_pop(skipped));
    }
    std::vector<std::size_t> values(12), out(12);
    std::iota(values.begin(), values.end(), 10);
    ASSERT_EQ(ring.try_push(std::span<const std::size_t>(values)), 8u);
    ASSERT_EQ(ring.try_pop(std::span(out).first(3)), 3u);
    ASSERT_EQ(ring.try_push(std::span<const std::size_t>(values).subspan(8)), 3u);
    ASSERT_EQ(ring.try_pop(std::span(out).subspan(3)), 8u);
    out.resize(11);
    values.resize(11);
    ASSERT_EQ(out, values);
  }
}

TEST(channel_kernels, refuse_what_cannot_be_measured) {
  for (const auto kind : both_kinds) {
    EXPECT_THROW(static_cast<void>(round_trip_ns(kind, {1, 1})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(round_trip_ns(kind, {0, 1}, 0)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(items_per_second(kind, {1, 1})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(items_per_second(kind, {0, 1}, {.items = 10, .batch = 11})),
                 std::invalid_argument);
    EXPECT_THROW(static_cast<void>(items_per_second(kind, {0, 1}, {.batch = 0})),
                 std::invalid_argument);
    EXPECT_THROW(
        static_cast<void>(items_per_second(kind, {0, 1}, {.batch = 1024, .capacity = 512})),
        std::invalid_argument);
  }
}

// One thread that cannot be bound must not leave the other waiting for it.
TEST(channel_kernels, say_so_if_a_thread_cannot_be_bound) {
  for (const auto kind : both_kinds) {
    EXPECT_THROW(static_cast<void>(round_trip_ns(kind, {no_such_pu, 0})), std::system_error);
    EXPECT_THROW(static_cast<void>(round_trip_ns(kind, {0, no_such_pu})), std::system_error);
    EXPECT_THROW(static_cast<void>(items_per_second(kind, {no_such_pu, no_such_pu - 1})),
                 std::system_error);
  }
}

}  // namespace channel_kernels_test
