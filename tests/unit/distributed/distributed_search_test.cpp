// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/search.hpp>

#include "on_ranks.hpp"

namespace distributed_search_test {

const std::size_t sizes[] = {0, 1, 3, 101, 5003};

using record = std::pair<std::uint32_t, std::uint32_t>;

TEST(distributed_search, finds_the_first_of_the_best_on_all_ranks) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      for (const std::uint64_t different : {1u, 7u, 100'003u}) {
        const auto number = [&](std::size_t i) {
          return static_cast<std::int64_t>((i + 5) * 0x9e3779b97f4a7c15U % different) - 3;
        };
        std::vector<std::int64_t> all(n);
        for (std::size_t i = 0; i < n; ++i) all[i] = number(i);
        const auto least = static_cast<std::size_t>(std::ranges::min_element(all) - all.begin());
        std::size_t greatest = 0;
        for (std::size_t i = 1; i < n; ++i)
          if (all[i] > all[greatest]) greatest = i;
        on_ranks(machine, [&](pleat::machine& on) {
          pleat::distributed<std::int64_t> data(on, n);
          data.fill(on, number);
          EXPECT_EQ(pleat::min_element(on, data), least);
          EXPECT_EQ(pleat::max_element(on, data), greatest);
          EXPECT_EQ(pleat::max_element(on, data, std::greater<>()), least);
          pleat::distributed<record> records(on, n);
          records.fill(on, [&](std::size_t i) {
            return record(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(number(i) + 3));
          });
          EXPECT_EQ(pleat::min_element(on, records, {}, &record::second), least);
        });
      }
    }
  }
}

TEST(distributed_search, finds_the_first_element_that_is_asked_for) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::size_t> data(on, n);
        data.fill(on, [](std::size_t i) { return 3 * i; });
        for (const std::size_t from : {std::size_t{0}, n / 2, n}) {
          EXPECT_EQ(pleat::find_if(on, data, [&](std::size_t x) { return x >= 3 * from; }), from);
          EXPECT_EQ(pleat::find_if(
                        on, data, [&](std::size_t x) { return x == from; },
                        [](std::size_t x) { return x / 3; }),
                    from);
        }
        pleat::distributed<bool> bits(on, n);
        bits.fill(on, [&](std::size_t i) { return i + 1 == n; });
        EXPECT_EQ(pleat::find_if(on, bits, std::identity()), n == 0 ? 0 : n - 1);
      });
    }
  }
}

TEST(distributed_search, compares_all_elements) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      on_ranks(machine, [&](pleat::machine& on) {
        pleat::distributed<std::size_t> a(on, n);
        pleat::distributed<double> b(on, n);
        a.fill(on, [](std::size_t i) { return i; });
        b.fill(on, [](std::size_t i) { return static_cast<double>(i); });
        const auto same = [](std::size_t x, double y) { return static_cast<double>(x) == y; };
        EXPECT_TRUE(pleat::equal(on, a, b, same));
        for (const std::size_t different : {std::size_t{0}, n / 3, n - 1}) {
          if (n == 0) break;
          b.fill(on, [&](std::size_t i) { return i == different ? -1.0 : static_cast<double>(i); });
          EXPECT_FALSE(pleat::equal(on, a, b, same));
        }
        const pleat::distributed<std::size_t> longer(on, n + 1);
        EXPECT_FALSE(pleat::equal(on, a, longer));
      });
    }
  }
}

TEST(distributed_search, throws_on_all_ranks_what_one_throws) {
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

}  // namespace distributed_search_test
