// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/top_k.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace distributed_selection_test {

TEST(distributed_nth_element, keeps_all_elements_whatever_the_order_answers) {
  const machine_of_ranks machine({1, 2, 1});
  for (const std::size_t n : {std::size_t{100}, std::size_t{50'021}}) {
    const auto before = scrambled_records(n, 1);
    const auto expect_kept = [&](const std::function<bool(const record&, const record&)>& less) {
      on_ranks(machine, [&](pleat::machine& on) {
        auto data = distributed_of(on, before);
        pleat::nth_element(on, data, n / 2, less);
        auto all = data.gather(on);
        std::ranges::sort(all, {}, &record::second);
        EXPECT_EQ(all, before);
      });
    };
    expect_kept([](const record&, const record&) { return true; });
    expect_kept([](const record& a, const record& b) { return a.first <= b.first; });
    expect_kept([](const record& a, const record& b) { return (a.second ^ b.second) % 3 == 0; });
  }
}

TEST(distributed_nth_element, throws_on_all_ranks_and_keeps_the_blocks) {
  const machine_of_ranks machine({1, 2, 1});
  const auto before = scrambled_records(50'021, 1000);
  const auto expect_thrown = [&](const char* words, std::size_t k,
                                 const std::function<bool(const record&, const record&)>& less) {
    on_ranks(machine, [&](pleat::machine& on) {
      auto data = distributed_of(on, before);
      try {
        pleat::nth_element(on, data, k == 7 ? on.rank() : k, less);
        ADD_FAILURE() << "nothing thrown";
      } catch (const std::exception& e) {
        EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
      }
      EXPECT_EQ(data.gather(on), before);
    });
  };
  expect_thrown("cannot compare", 5, [&](const record& a, const record& b) {
    if (a.second == before.size() - 1) throw std::runtime_error("cannot compare");
    return a < b;
  });
  expect_thrown("there is no element", before.size() + 1, std::less<>());
  expect_thrown("must make the same calls", 7, std::less<>());
}

TEST(distributed_top_k, is_the_same_on_all_ranks_whatever_the_order_answers) {
  const machine_of_ranks machine({1, 2, 1});
  std::vector<std::vector<std::size_t>> best(machine.ranks());
  on_ranks(machine, [&](pleat::machine& on) {
    const auto data = distributed_of(on, scrambled_records(1000, 50));
    best[on.rank()] = pleat::top_k(on, data, 20, [](const record&, const record&) { return true; });
  });
  EXPECT_EQ(best[0].size(), 20U);
  for (const auto& each : best) EXPECT_EQ(each, best[0]);
}

TEST(distributed_top_k, is_refused_on_all_ranks_if_they_want_different_things) {
  const machine_of_ranks machine({1, 2, 1});
  const auto expect_refused = [&](const char* words,
                                  const std::function<void(pleat::machine&)>& act) {
    for (const std::string& each : words_on_ranks(machine, act))
      EXPECT_NE(each.find(words), std::string::npos) << each;
  };
  expect_refused("must make the same calls", [](pleat::machine& on) {
    const pleat::distributed<int> data(on, 10);
    static_cast<void>(pleat::top_k(on, data, on.rank()));
  });
  expect_refused("there is no element 10", [](pleat::machine& on) {
    const pleat::distributed<int> data(on, 10);
    static_cast<void>(data.gather(on, {3, on.rank() == 1 ? std::size_t{10} : std::size_t{9}}));
  });
  expect_refused("must make the same calls", [](pleat::machine& on) {
    const pleat::distributed<int> data(on, 10);
    static_cast<void>(data.gather(on, {on.rank()}));
  });
}

}  // namespace distributed_selection_test
