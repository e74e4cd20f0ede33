// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <pleat/runtime/memory_of.hpp>
#include <pleat/runtime/placed_memory.hpp>

#include "unit/message_of.hpp"

namespace placed_memory_test {

using pleat::machine, pleat::placed_memory;

class memory_placed : public testing::TestWithParam<const char*> {};

// A container may forbid to place memory, or to ask where it is: then that is what is said.
TEST_P(memory_placed, is_zero_and_all_of_it_is_where_the_policy_says) {
  const pleat::memory_policy policy = pleat::parse_memory_policy(GetParam());
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{100'001},
                                  (std::size_t{2} << 20) - 1, (std::size_t{5} << 20) + 3}) {
    for (const unsigned p : {1U, 2U, 3U}) {
      placed_memory memory;
      const std::string refusal = message_of([&] {
        machine on({.processors = p, .memory = policy});
        memory = placed_memory(on, bytes);  // it outlives the machine
      });
      if (!refusal.empty()) {
        EXPECT_NE(policy.where, pleat::memory_policy::nodes::first_touch) << refusal;
        EXPECT_TRUE(refusal.find("mempolicy") != refusal.npos ||
                    refusal.find("weighted-interleave needs Linux 6.9") != refusal.npos)
            << refusal;
        continue;
      }
      ASSERT_EQ(memory.bytes().size(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 4096, 0u);
      EXPECT_TRUE(
          std::ranges::all_of(memory.bytes(), [](std::byte b) { return b == std::byte{}; }));
      pleat::page_counts counts;
      const std::string unknown = message_of([&] { counts = pleat::memory_of(memory.bytes()); });
      if (!unknown.empty()) {
        EXPECT_NE(unknown.find("move_pages"), std::string::npos) << unknown;
        continue;
      }
      EXPECT_EQ(counts.present(), (bytes + counts.page_bytes - 1) / counts.page_bytes);
      EXPECT_EQ(counts.absent, 0u);
      EXPECT_EQ(memory.astray(), 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(on_the_host, memory_placed,
                         testing::Values("first-touch", "local", "interleave",
                                         "weighted-interleave", "bind:0", "master", "interleave/4k",
                                         "/4k"));

TEST(placed_memory, is_moved_and_may_be_none) {
  machine on({.processors = 2});
  placed_memory one(on, 3 * sizeof(long));
  one.as<long>(3)[2] = 7;
  placed_memory other(std::move(one));
  EXPECT_TRUE(one.bytes().empty());
  EXPECT_EQ(other.as<long>(3)[2], 7);
  one = std::move(other);
  EXPECT_EQ(one.as<long>(3)[2], 7);
  EXPECT_TRUE(placed_memory(on, 0).bytes().empty());
  EXPECT_EQ(placed_memory().astray(), 0u);
}

TEST(placed_memory, that_cannot_be_had_is_refused) {
  machine on({.processors = 1});
  EXPECT_THROW(placed_memory(on, ~std::size_t{0}), std::bad_alloc);
  EXPECT_THROW(placed_memory(on, std::size_t{1} << 62), std::bad_alloc);
  machine reserving({.processors = 1, .memory = pleat::parse_memory_policy("/hugetlb")});
  EXPECT_NE(message_of([&] {
              placed_memory(reserving, std::size_t{1} << 40);
            }).find("sysctl vm.nr_hugepages=524288"),
            std::string::npos);
}

}  // namespace placed_memory_test
