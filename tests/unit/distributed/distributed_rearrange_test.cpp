// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/rearrange.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace distributed_rearrange_test {

/// The last of them is several buckets of a random order.
const std::size_t sizes[] = {0, 1, 3, 17, 1009, 20'011};

/// rearrange(machine, data) on ranks makes `expected` of scrambled records.
template <class Rearrange>
void expect_rearranged(const machine_of_ranks& machine, const std::vector<record>& before,
                       const std::vector<record>& expected, const Rearrange& rearrange) {
  on_ranks(machine, [&](pleat::machine& on) {
    auto data = distributed_of(on, before);
    rearrange(on, data);
    EXPECT_EQ(data.gather(on), expected) << before.size() << " on " << machine.ranks();
  });
}

TEST(distributed_rearrange, reverses_and_rotates_as_one_array) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      const auto before = scrambled_records(n, 100);
      auto expected = before;
      std::ranges::reverse(expected);
      expect_rearranged(machine, before, expected,
                        [](pleat::machine& on, auto& data) { pleat::reverse(on, data); });
      for (const std::size_t middle : {std::size_t{0}, n / 5, n / 2 + n % 2, n}) {
        expected = before;
        std::ranges::rotate(expected, expected.begin() + static_cast<std::ptrdiff_t>(middle));
        expect_rearranged(machine, before, expected, [&](pleat::machine& on, auto& data) {
          EXPECT_EQ(pleat::rotate(on, data, middle), n - middle);
        });
      }
    }
  }
}

TEST(distributed_rearrange, shuffles_as_one_array) {
  pleat::machine one({.processors = 1, .workers = pleat::workers::free});
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      const auto before = scrambled_records(n, 100);
      auto expected = before;
      pleat::random_shuffle(one, expected, 42);
      EXPECT_TRUE(n > 2000 || std::ranges::is_permutation(expected, before));
      EXPECT_TRUE(expected != before || n < 4);
      expect_rearranged(machine, before, expected, [](pleat::machine& on, auto& data) {
        pleat::random_shuffle(on, data, 42);
      });
    }
  }
}

TEST(distributed_rearrange, takes_bools) {
  const machine_of_ranks machine({1, 2, 1});
  on_ranks(machine, [](pleat::machine& on) {
    pleat::distributed<bool> data(on, 11);
    data.fill(on, [](std::size_t i) { return i < 4; });
    pleat::reverse(on, data);
    pleat::rotate(on, data, 9);
    for (std::size_t j = 0; j < data.local().size(); ++j) {
      const std::size_t i = data.global_index(j);
      EXPECT_EQ(data.local()[j], i < 2 || i >= 9);
    }
    pleat::random_shuffle(on, data, 3);
    const std::vector<bool> all = data.gather(on);
    EXPECT_EQ(std::ranges::count(all, true), 4);
  });
}

TEST(distributed_rearrange, is_refused_on_all_ranks_if_they_want_different_things) {
  const machine_of_ranks machine({1, 2, 1});
  const auto expect_refused = [&](const char* words,
                                  const std::function<void(pleat::machine&)>& act) {
    for (const std::string& each : words_on_ranks(machine, act))
      EXPECT_NE(each.find(words), std::string::npos) << each;
  };
  expect_refused("cannot be 11", [](pleat::machine& on) {
    pleat::distributed<int> data(on, 10);
    pleat::rotate(on, data, on.rank() == 1 ? 11 : 5);
  });
  expect_refused("must make the same calls", [](pleat::machine& on) {
    pleat::distributed<int> data(on, 10);
    pleat::rotate(on, data, 4 + on.rank());
  });
  expect_refused("must make the same calls", [](pleat::machine& on) {
    pleat::distributed<int> data(on, 10);
    pleat::random_shuffle(on, data, on.rank());
  });
}

}  // namespace distributed_rearrange_test
