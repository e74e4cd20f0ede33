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

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/distributed.hpp>
#include <pleat/oblivious/histogram.hpp>
#include <pleat/oblivious/partition.hpp>
#include <pleat/oblivious/unique.hpp>

#include "on_ranks.hpp"

namespace distributed_select_test {

const std::size_t sizes[] = {0, 1, 3, 101, 5003};

using record = std::pair<std::uint32_t, std::uint32_t>;

record numbered(std::size_t i) {
  return {static_cast<std::uint32_t>(i * 7919 % 101), static_cast<std::uint32_t>(i)};
}

template <class T>
void expect_all(pleat::machine& on, const pleat::distributed<T>& data, const std::vector<T>& all) {
  ASSERT_EQ(data.size(), all.size());
  ASSERT_EQ(data.local().size(), data.block_of(on.rank()).size());
  for (std::size_t j = 0; j < data.local().size(); ++j)
    ASSERT_EQ(data.local()[j], all[data.global_index(j)]) << data.global_index(j);
}

// Which elements are chosen: none, all, some, those of the first ranks, those of the last.
bool chosen(std::size_t way, std::size_t i, std::size_t n) {
  return way == 1 || (way == 2 && i % 3 == 1) || (way == 3 && i < n / 4) || (way == 4 && i > n / 2);
}

TEST(distributed_select, chooses_what_a_loop_does_in_balanced_blocks) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      for (std::size_t way = 0; way < 5; ++way) {
        std::vector<record> front, back;
        for (std::size_t i = 0; i < n; ++i)
          (chosen(way, i, n) ? front : back).push_back(numbered(i));
        std::vector<record> divided = front;
        divided.insert(divided.end(), back.begin(), back.end());
        on_ranks(machine, [&](pleat::machine& on) {
          pleat::distributed<record> data(on, n);
          pleat::distributed<bool> flags(on, n);
          data.fill(on, numbered);
          flags.fill(on, [&](std::size_t i) { return chosen(way, i, n); });
          const auto is = [&](std::uint32_t i) { return chosen(way, i, n); };
          expect_all(on, pleat::copy_if(on, data, is, &record::second), front);
          expect_all(on, pleat::pack(on, data, flags), front);
          EXPECT_EQ(pleat::partition(on, data, is, &record::second), front.size());
          expect_all(on, data, divided);
        });
      }
    }
  }
}

TEST(distributed_select, keeps_the_first_of_equal_neighbours) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      for (const std::size_t width : {std::size_t{1}, std::size_t{2}, std::size_t{40}, n + 1}) {
        std::vector<record> first;
        for (std::size_t i = 0; i < n; i += width)
          first.emplace_back(static_cast<std::uint32_t>(i / width), static_cast<std::uint32_t>(i));
        on_ranks(machine, [&](pleat::machine& on) {
          pleat::distributed<record> data(on, n);
          data.fill(on, [&](std::size_t i) {
            return record(static_cast<std::uint32_t>(i / width), static_cast<std::uint32_t>(i));
          });
          expect_all(on, pleat::unique(on, data, {}, &record::first), first);
          pleat::distributed<bool> bits(on, n);
          EXPECT_EQ(pleat::unique(on, bits).size(), n == 0 ? 0u : 1u);
        });
      }
    }
  }
}

TEST(distributed_select, counts_bins_on_all_ranks) {
  for (const auto& workers : few_ranks()) {
    const machine_of_ranks machine(workers);
    for (const std::size_t n : sizes) {
      for (const std::size_t bins : {1u, 3u, 101u}) {
        std::vector<std::uint32_t> right(bins);
        for (std::size_t i = 0; i < n; ++i) ++right[numbered(i).first % bins];
        on_ranks(machine, [&](pleat::machine& on) {
          pleat::distributed<record> data(on, n);
          data.fill(on, numbered);
          std::vector<std::uint32_t> counts(bins, 77);
          pleat::histogram(on, data, counts, [&](const record& x) { return x.first % bins; });
          EXPECT_EQ(counts, right);
        });
      }
    }
  }
}

TEST(distributed_select, throws_on_all_ranks_what_one_throws_and_changes_nothing) {
  const machine_of_ranks machine({1, 2, 1});
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

}  // namespace distributed_select_test
