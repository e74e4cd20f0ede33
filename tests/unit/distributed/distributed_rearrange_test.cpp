// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/rearrange.hpp>

#include "on_ranks.hpp"

namespace distributed_rearrange_test {

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
