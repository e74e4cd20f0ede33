// SPDX-License-Identifier: Apache-2.0
// Everyday functions over ranks: orders that are none, and data that have no other
// test. That results are those of one array: same_as_one_array_test.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/group_by.hpp>
#include <pleat/oblivious/merge.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/top_k.hpp>
#include <pleat/runtime/machine.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace distributed_everyday_test {

using pleat::distributed, pleat::machine;
using std::size_t;

TEST(distributed_nth_element, throws_on_all_ranks_and_keeps_the_blocks) {
  const machine_of_ranks machine({1, 2, 1});
  const auto before = scrambled_records(50'021, 1000);
  const auto expect_thrown = [&](const char* words, size_t k,
                                 const std::function<bool(const record&, const record&)>& less) {
    expect_words(machine, words, [&](auto& on) {
      auto data = distributed_of(on, before);
      try {
        pleat::nth_element(on, data, k == 7 ? on.rank() : k, less);
      } catch (...) {
        EXPECT_EQ(data.gather(on), before);
        throw;
      }
    });
  };
  expect_thrown("cannot compare", 5, [&](const record& a, const record& b) {
    if (a.second == before.size() - 1) throw std::runtime_error("cannot compare");
    return a < b;
  });
  expect_thrown("there is no element", before.size() + 1, std::less<>());
  expect_thrown("must make the same calls", 7, std::less<>());
}

TEST(distributed_everyday, loses_nothing_whatever_the_order_answers) {
  const std::function<bool(const record&, const record&)> odd_orders[] = {
      [](const record&, const record&) { return true; },
      [](const record& a, const record& b) { return a.first <= b.first; },
      [](const record& a, const record& b) { return (a.second ^ b.second) % 3 == 0; },
      [](const record&, const record&) {
        thread_local std::minstd_rand random;
        return random() % 2 == 0;
      }};
  const machine_of_ranks machine({1, 2, 1});
  const auto before = scrambled_records(50'021, 1), first = scrambled_records(4000, 50),
             rest = scrambled_records(3000, 50, 4000), all = scrambled_records(7000, 50);
  const auto in_order = [](std::vector<record> some) {
    std::ranges::sort(some, {}, &record::second);
    return some;
  };
  for (const auto& less : odd_orders) {
    const bool asked_alike = &less != &odd_orders[3];
    std::vector<std::vector<size_t>> best(machine.ranks());
    on_ranks(machine, [&](auto& on) {
      const auto a = distributed_of(on, first), b = distributed_of(on, rest);
      distributed<record> merged(on, all.size());
      pleat::merge(on, a, b, merged, less);
      EXPECT_EQ(in_order(merged.gather(on)), all);
      if (!asked_alike) return;
      auto data = distributed_of(on, before);
      pleat::nth_element(on, data, before.size() / 2, less);
      EXPECT_EQ(in_order(data.gather(on)), before);
      best[on.rank()] = pleat::top_k(on, a, 20, less);
      if (&less == &odd_orders[0]) {
        EXPECT_EQ(pleat::group_by(on, merged, less).size(), all.size() + 1);
      }
    });
    for (const auto& each : best) EXPECT_EQ(each, best[0]);
  }
}

// Bits share words.
TEST(distributed_everyday, takes_bools) {
  const machine_of_ranks machine({1, 2, 1});
  constexpr size_t some = 1009;
  const auto before = scrambled_records(some, 50);
  on_ranks(machine, [&](auto& on) {
    distributed<bool> bits(on, 11), more(on, 4), out(on, 15), odd(on, some);
    bits.fill(on, [](size_t i) { return i < 4; });
    pleat::reverse(on, bits);
    pleat::rotate(on, bits, 9);
    for (size_t j = 0; j < bits.local().size(); ++j)
      EXPECT_EQ(bits.local()[j], bits.global_index(j) < 2 || bits.global_index(j) >= 9);
    bits.fill(on, [](size_t i) { return i < 5; });
    more.fill(on, [](size_t i) { return i < 1; });
    pleat::merge(on, bits, more, out, std::greater<>());
    for (size_t j = 0; j < out.local().size(); ++j)
      EXPECT_EQ(out.local()[j], out.global_index(j) < 6);

    odd.fill(on, [](size_t i) { return i % 2 != 0; });
    auto others = distributed_of(on, before);
    pleat::sort_by_key(on, odd, others);
    for (size_t j = 0; j < others.local().size(); ++j) {
      const size_t i = others.global_index(j);
      ASSERT_EQ(others.local()[j], before[i <= some / 2 ? 2 * i : 2 * (i - some / 2) - 1]);
    }
  });
}

}  // namespace distributed_everyday_test
