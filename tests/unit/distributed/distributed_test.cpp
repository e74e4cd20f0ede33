// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>

#include "on_ranks.hpp"

namespace distributed_test {

const std::size_t sizes[] = {0, 1, 2, 16, 17, 101, 4099};

TEST(distributed, gives_each_rank_a_block_that_differs_by_one_at_most) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::uint64_t> data(on, n);
        EXPECT_EQ(data.size(), n);
        EXPECT_EQ(data.ranks(), on.ranks());
        EXPECT_EQ(data.rank(), on.rank());
        EXPECT_EQ(data.block(), data.block_of(on.rank()));
        EXPECT_EQ(data.local().size(), data.block().size());
        std::size_t next = 0;
        for (std::size_t r = 0; r < on.ranks(); ++r) {
          const auto block = data.block_of(r);
          EXPECT_EQ(block.first, next);
          EXPECT_GE(block.size() + 1, (n + on.ranks() - 1) / on.ranks());
          EXPECT_LE(block.size(), (n + on.ranks() - 1) / on.ranks());
          next = block.last;
          for (std::size_t i = block.first; i < block.last; ++i) ASSERT_EQ(data.owner(i), r);
        }
        EXPECT_EQ(next, n);
        for (std::size_t j = 0; j < data.local().size(); ++j) {
          ASSERT_EQ(data.local()[j], 0u);
          ASSERT_EQ(data.local_index(data.global_index(j)), j);
        }
      });
    }
  }
}

TEST(distributed, is_filled_by_index_and_gathered) {
  for (const auto& workers : machines_of_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::pair<std::uint64_t, char>> data(on, n);
        data.fill(on, [](std::size_t i) { return std::pair(7 * i + 3, static_cast<char>(i)); });
        for (std::size_t j = 0; j < data.local().size(); ++j)
          ASSERT_EQ(data.local()[j].first, 7 * data.global_index(j) + 3);
        const auto all = data.gather(on);
        ASSERT_EQ(all.size(), n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(all[i].first, 7 * i + 3);
          ASSERT_EQ(all[i].second, static_cast<char>(i));
        }
      });
    }
  }
}

struct counted {
  static inline std::size_t alive = 0;
  counted() {
    if (alive == throws_at) throw std::runtime_error("no more");
    ++alive;
  }
  counted(const counted&) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
  static inline std::size_t throws_at = 1000;
  int value = 5;
};

TEST(distributed, holds_any_type_on_one_rank_and_destroys_what_it_has_made) {
  pleat::machine on({.processors = 1, .workers = pleat::workers::free});
  {
    pleat::distributed<std::string> words(on, 50);
    words.fill(on, [](std::size_t i) { return std::string(i, 'x'); });
    EXPECT_EQ(words.gather(on)[49], std::string(49, 'x'));
    pleat::distributed<std::string> moved(std::move(words));
    EXPECT_EQ(moved.size(), 50u);
    EXPECT_TRUE(words.empty());  // NOLINT(bugprone-use-after-move): it says so
    EXPECT_TRUE(words.local().empty());
  }
  {
    pleat::distributed<counted> some(on, 20);
    EXPECT_EQ(counted::alive, 20u);
    EXPECT_EQ(some.local()[19].value, 5);
    some = pleat::distributed<counted>(on, 7);
    EXPECT_EQ(counted::alive, 7u);
  }
  EXPECT_EQ(counted::alive, 0u);
  counted::throws_at = 10;
  EXPECT_THROW(pleat::distributed<counted>(on, 20), std::runtime_error);
  EXPECT_EQ(counted::alive, 0u);
}

}  // namespace distributed_test
