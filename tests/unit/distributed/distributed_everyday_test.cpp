// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/search.hpp>
#include <pleat/oblivious/transform.hpp>

#include "on_ranks.hpp"
#include "record_cases.hpp"

namespace distributed_everyday_test {

TEST(distributed_everyday, a_loop_or_sum_throws_on_all_ranks_what_one_throws) {
  const machine_of_ranks machine({1, 2, 1});
  const std::size_t n = 10'000;
  const auto expect_thrown = [&](const std::function<void(pleat::machine&)>& act) {
    for (const std::string& each : words_on_ranks(machine, act))
      EXPECT_NE(each.find("of the last"), std::string::npos) << each;
  };
  expect_thrown([&](pleat::machine& on) {
    pleat::distributed<std::size_t> data(on, n);
    data.fill(on, [](std::size_t i) { return i; });
    pleat::for_each(on, data, [&](std::size_t x) {
      if (x == n - 1) throw std::runtime_error("of the last");
    });
  });
  expect_thrown([&](pleat::machine& on) {
    pleat::distributed<std::size_t> data(on, n);
    data.fill(on, [](std::size_t i) { return i; });
    static_cast<void>(pleat::reduce(on, data, std::size_t{0}, [&](std::size_t a, std::size_t b) {
      if (b == n - 1) throw std::runtime_error("of the last");
      return a + b;
    }));
  });
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         const pleat::distributed<int> three(on, 3), four(on, 4);
         static_cast<void>(pleat::reduce(on, on.rank() == 2 ? three : four, 0));
       }))
    EXPECT_NE(each.find("must make the same calls"), std::string::npos) << each;
}

TEST(distributed_everyday, refuses_on_all_ranks_what_is_wrong_on_one) {
  const machine_of_ranks machine({1, 2, 1});
  for (std::size_t culprit = 0; culprit < 3; ++culprit) {
    const auto refused = [&](const char* why, const std::function<void(pleat::machine&)>& act) {
      for (const std::string& each : words_on_ranks(machine, act))
        EXPECT_NE(each.find(why), std::string::npos) << each;
    };
    refused("an output of 4 elements for 3", [&](pleat::machine& on) {
      const pleat::distributed<int> three(on, 3);
      pleat::distributed<int> like(on, 3), longer(on, 4);
      pleat::transform(on, three, on.rank() == culprit ? longer : like, [](int x) { return x; });
    });
    pleat::machine alone({.processors = 1, .workers = pleat::workers::free});
    const pleat::distributed<int> others(alone, 3);
    refused("block 0 of 1 on rank", [&](pleat::machine& on) {
      const pleat::distributed<int> three(on, 3);
      static_cast<void>(pleat::reduce(on, on.rank() == culprit ? others : three, 0));
    });
    refused("block 0 of 1 on rank", [&](pleat::machine& on) {
      pleat::distributed<int> three(on, 3), mine(alone, 3);
      pleat::transform(on, three, on.rank() == culprit ? mine : three, [](int x) { return x; });
    });
  }
}

TEST(distributed_everyday, a_scan_throws_on_all_ranks_what_one_throws) {
  const machine_of_ranks machine({1, 2, 1});
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         pleat::distributed<int> data(on, 1000);
         data.fill(on, [](std::size_t i) { return i == 999 ? 1 : 0; });
         pleat::inclusive_scan(on, data, data, [](int a, int b) {
           if (b == 1) throw std::runtime_error("of the last");
           return a + b;
         });
       }))
    EXPECT_NE(each.find("of the last"), std::string::npos) << each;
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         const pleat::distributed<int> data(on, 3);
         pleat::distributed<int> like(on, 3), longer(on, 4);
         pleat::exclusive_scan(on, data, on.rank() == 1 ? longer : like, 0);
       }))
    EXPECT_NE(each.find("an output of 4 elements for 3"), std::string::npos) << each;
}

TEST(distributed_everyday, a_search_throws_on_all_ranks_what_one_throws) {
  const machine_of_ranks machine({1, 2, 1});
  for (const std::string& each : words_on_ranks(machine, [](pleat::machine& on) {
         pleat::distributed<std::size_t> data(on, 100);
         data.fill(on, [](std::size_t i) { return i; });
         static_cast<void>(pleat::find_if(on, data, [](std::size_t x) {
           if (x == 99) throw std::runtime_error("of the last");
           return false;
         }));
       }))
    EXPECT_NE(each.find("of the last"), std::string::npos) << each;
}

TEST(distributed_everyday, a_choice_throws_on_all_ranks_what_one_throws_and_changes_nothing) {
  const machine_of_ranks machine({1, 2, 1});
  const auto numbered = [](std::size_t i) { return record(7, static_cast<std::uint32_t>(i)); };
  const auto expect_thrown = [&](const char* why, const std::function<void(pleat::machine&)>& act) {
    for (const std::string& each : words_on_ranks(machine, act))
      EXPECT_NE(each.find(why), std::string::npos) << each;
  };
  const auto last = [](std::uint32_t x) {
    if (x == 99) throw std::runtime_error("of the last");
    return x % 2 == 0;
  };
  expect_thrown("of the last", [&](pleat::machine& on) {
    pleat::distributed<record> data(on, 100);
    data.fill(on, numbered);
    try {
      pleat::partition(on, data, last, &record::second);
    } catch (...) {
      for (std::size_t j = 0; j < data.local().size(); ++j)
        EXPECT_EQ(data.local()[j], numbered(data.global_index(j)));
      throw;
    }
  });
  expect_thrown("of the last", [&](pleat::machine& on) {
    pleat::distributed<record> data(on, 100);
    data.fill(on, numbered);
    static_cast<void>(pleat::copy_if(on, data, last, &record::second));
  });
  expect_thrown("3 elements with 4 others", [&](pleat::machine& on) {
    const pleat::distributed<int> data(on, 3);
    const pleat::distributed<bool> like(on, 3), longer(on, 4);
    static_cast<void>(pleat::pack(on, data, on.rank() == 1 ? longer : like));
  });
  expect_thrown("there is no bin 2 of 2", [&](pleat::machine& on) {
    pleat::distributed<std::size_t> data(on, 100);
    data.fill(on, [](std::size_t i) { return i == 99 ? 2 : i % 2; });
    std::vector<int> counts(2);
    pleat::histogram(on, data, counts);
  });
}

}  // namespace distributed_everyday_test
