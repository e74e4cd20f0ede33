// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/merge.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace distributed_merge_test {

// Pieces of many ranks, more than samples find at once.
TEST(distributed_merge, takes_arrays_one_behind_the_other_and_longer_outputs) {
  const machine_of_ranks machine({1, 2, 1, 1});
  const std::size_t n = 30'000;
  for (const bool other_way : {false, true}) {
    on_ranks(machine, [&](pleat::machine& on) {
      pleat::distributed<double> a(on, n), b(on, n / 2), out(on, 2 * n);
      a.fill(on, [&](std::size_t i) { return static_cast<double>(i + (other_way ? n / 2 : 0)); });
      b.fill(on, [&](std::size_t i) { return static_cast<double>(i + (other_way ? 0 : n)); });
      out.fill(on, [](std::size_t) { return -1.0; });
      EXPECT_EQ(pleat::merge(on, a, b, out), n + n / 2);
      for (std::size_t j = 0; j < out.local().size(); ++j) {
        const std::size_t i = out.global_index(j);
        ASSERT_EQ(out.local()[j], i < n + n / 2 ? static_cast<double>(i) : -1.0);
      }
    });
  }
}

TEST(distributed_merge, takes_other_orders_and_bools) {
  const machine_of_ranks machine({1, 1, 1});
  on_ranks(machine, [](pleat::machine& on) {
    pleat::distributed<bool> a(on, 10), b(on, 4), out(on, 14);
    a.fill(on, [](std::size_t i) { return i < 5; });
    b.fill(on, [](std::size_t i) { return i < 1; });
    pleat::merge(on, a, b, out, std::greater<>());
    for (std::size_t j = 0; j < out.local().size(); ++j)
      EXPECT_EQ(out.local()[j], out.global_index(j) < 6);
  });
}

TEST(distributed_merge, loses_nothing_whatever_the_order_answers) {
  using key = std::uint32_t;
  const std::function<bool(key, key)> odd_orders[] = {[](key, key) { return true; },
                                                      [](key x, key y) { return x <= y; },
                                                      [](key x, key y) { return (x ^ y) % 3 == 0; },
                                                      [](key, key) {
                                                        thread_local std::minstd_rand random;
                                                        return random() % 2 == 0;
                                                      }};
  const machine_of_ranks machine({1, 2, 1});
  on_ranks(machine, [&](pleat::machine& on) {
    pleat::distributed<key> a(on, 4000), b(on, 3000), out(on, 7100);
    a.fill(on, [](std::size_t i) { return scrambled_key(i); });
    b.fill(on, [](std::size_t i) { return scrambled_key(i + 9999); });
    auto all = a.gather(on);
    for (const key x : b.gather(on)) all.push_back(x);
    std::ranges::sort(all);
    for (const auto& order : odd_orders) {
      EXPECT_EQ(pleat::merge(on, a, b, out, order), 7000u);
      auto merged = out.gather(on);
      merged.resize(7000);
      std::ranges::sort(merged);
      EXPECT_EQ(merged, all);
    }
  });
}

TEST(distributed_merge, throws_on_all_ranks_what_one_throws) {
  const machine_of_ranks machine({1, 2, 1});
  const auto expect_thrown = [&](const char* words,
                                 const std::function<void(pleat::machine&)>& act) {
    for (const std::string& each : words_on_ranks(machine, act))
      EXPECT_NE(each.find(words), std::string::npos) << each;
  };
  expect_thrown("cannot compare", [](pleat::machine& on) {
    pleat::distributed<int> a(on, 100), b(on, 100), out(on, 200);
    pleat::merge(on, a, b, out, [&, rank = on.rank()](int x, int y) {
      if (rank == 1) throw std::runtime_error("cannot compare");
      return x < y;
    });
  });
  expect_thrown("make it as long", [](pleat::machine& on) {
    pleat::distributed<int> a(on, 100), b(on, 100), out(on, 199);
    pleat::merge(on, a, b, out);
  });
  expect_thrown("one of the inputs", [](pleat::machine& on) {
    pleat::distributed<int> a(on, 100), b(on, 0);
    pleat::merge(on, b, a, a);
  });
  expect_thrown("must make the same calls", [](pleat::machine& on) {
    pleat::distributed<int> a(on, 100), b(on, 100), c(on, 90), out(on, 300);
    pleat::merge(on, a, on.rank() == 2 ? c : b, out);
  });
}

}  // namespace distributed_merge_test
