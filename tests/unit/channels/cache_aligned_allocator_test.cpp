// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/channels/cache_aligned_allocator.hpp>

namespace cache_aligned_allocator_test {

using pleat::cache_aligned_allocator, pleat::destructive_distance;

struct alignas(4096) page {
  std::byte bytes[4096];
};

bool starts_at_multiple_of(const void* block, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

TEST(cache_line, rounds_up_to_whole_distances) {
  EXPECT_EQ(pleat::round_up_to_distance(0), 0u);
  EXPECT_EQ(pleat::round_up_to_distance(1), destructive_distance);
  EXPECT_EQ(pleat::round_up_to_distance(destructive_distance), destructive_distance);
  EXPECT_EQ(pleat::round_up_to_distance(destructive_distance + 1), 2 * destructive_distance);
}

TEST(cache_aligned_allocator, blocks_share_no_pair_of_lines) {
  cache_aligned_allocator<char> allocator;
  char* blocks[64];
  for (std::size_t i = 0; i != 64; ++i) {
    blocks[i] = allocator.allocate(i + 1);
    EXPECT_TRUE(starts_at_multiple_of(blocks[i], destructive_distance));
  }
  for (std::size_t i = 0; i != 64; ++i) {
    for (std::size_t j = 0; j != i; ++j) {
      const auto apart = blocks[i] > blocks[j] ? blocks[i] - blocks[j] : blocks[j] - blocks[i];
      EXPECT_GE(static_cast<std::size_t>(apart), destructive_distance);
    }
  }
  for (std::size_t i = 0; i != 64; ++i) allocator.deallocate(blocks[i], i + 1);
}

TEST(cache_aligned_allocator, keeps_a_larger_alignment) {
  std::vector<page, cache_aligned_allocator<page>> pages(3);
  EXPECT_TRUE(starts_at_multiple_of(pages.data(), 4096));
}

TEST(cache_aligned_allocator, serves_containers) {
  std::vector<int, cache_aligned_allocator<int>> numbers;
  for (int i = 0; i != 1000; ++i) {
    numbers.push_back(i);
    ASSERT_TRUE(starts_at_multiple_of(numbers.data(), destructive_distance));
  }
  const auto copy = numbers;
  EXPECT_EQ(copy, numbers);
  EXPECT_EQ(cache_aligned_allocator<int>{}, cache_aligned_allocator<char>{});
}

TEST(cache_aligned_allocator, refuses_what_exceeds_the_address_space) {
  cache_aligned_allocator<std::uint64_t> allocator;
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::size_t>::max() / 8)),
               std::bad_array_new_length);
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::size_t>::max())),
               std::bad_array_new_length);
}

}  // namespace cache_aligned_allocator_test
