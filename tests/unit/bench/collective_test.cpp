// SPDX-License-Identifier: Apache-2.0
#include "collectives/collective.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "measure/big_block.hpp"

namespace collective_test {

using namespace pleat::bench;

std::size_t elements(const collective& one) { return one.bytes / (combines(one.what) ? 8 : 1); }

/// Every operation with every spread it takes, of so many bytes times the ranks.
std::vector<collective> all_of(std::size_t bytes) {
  std::vector<collective> all;
  for (const operation what : all_operations()) {
    for (const spread how : all_spreads()) {
      if (how == spread::regular || takes_counts(what)) all.push_back({what, bytes, how});
    }
  }
  return all;
}

TEST(collective, counts_sum_up_to_all_elements) {
  for (const std::size_t ranks : {1U, 2U, 3U, 7U, 64U}) {
    for (const std::size_t blocks : {1U, 5U, 1000U}) {
      for (const collective& one : all_of(8 * ranks * blocks)) {
        ASSERT_FALSE(fault_of(one, ranks));
        const auto counts = counts_of(one, ranks);
        ASSERT_EQ(counts.size(), ranks);
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), elements(one));
      }
    }
  }
}

TEST(collective, spreads_are_what_they_are_called) {
  const auto counts = [](spread how, std::size_t bytes) {
    return counts_of({operation::all_gather_v, bytes, how}, 4);
  };
  using expected = std::vector<std::size_t>;
  EXPECT_EQ(counts(spread::regular, 100), (expected{25, 25, 25, 25}));
  EXPECT_EQ(counts(spread::irregular, 100), (expected{40, 30, 20, 10}));
  EXPECT_EQ(counts(spread::degenerate, 100), (expected{100, 0, 0, 0}));
  EXPECT_EQ(counts(spread::spike, 120), (expected{60, 20, 20, 20}));
  EXPECT_EQ(counts(spread::regular, 2), (expected{0, 1, 0, 1}));
}

TEST(collective, what_cannot_be_performed_has_a_fault) {
  EXPECT_TRUE(fault_of({operation::broadcast, 0}, 2));
  EXPECT_TRUE(fault_of({operation::scatter, 7}, 2));
  EXPECT_TRUE(fault_of({operation::all_reduce, 12}, 2));
  EXPECT_TRUE(fault_of({operation::reduce_scatter, 8}, 2));
  EXPECT_TRUE(fault_of({operation::all_gather, 8, spread::spike}, 2));
  EXPECT_TRUE(fault_of({operation::broadcast, std::size_t{1} << 31}, 2));
  EXPECT_FALSE(fault_of({operation::all_gather_v, 7}, 2));
}

TEST(collective, names_lead_back) {
  for (const operation what : all_operations()) EXPECT_EQ(operation_named(name_of(what)), what);
  for (const spread how : all_spreads()) EXPECT_EQ(spread_named(name_of(how)), how);
  EXPECT_FALSE(operation_named("all_scatter"));
  EXPECT_FALSE(spread_named(""));
}

/// All ranks' memory: performs an operation by its definition, slowly.
struct simulation {
  collective one;
  std::size_t ranks;
  std::vector<big_block> inputs, results;

  simulation(const collective& c, std::size_t p, std::uint64_t seed) : one(c), ranks(p) {
    for (std::size_t r = 0; r < ranks; ++r) {
      inputs.emplace_back(share(r).input_bytes());
      results.emplace_back(share(r).result_bytes());
      share(r).fill_input(inputs[r].bytes(), seed);
      share(r).spoil(results[r].bytes());
    }
  }
  [[nodiscard]] collective_share share(std::size_t rank) const { return {one, ranks, rank}; }

  void move(std::size_t from, std::size_t first, std::size_t count, std::size_t to,
            std::size_t place) const {
    std::ranges::copy(inputs[from].bytes().subspan(first, count),
                      results[to].bytes().begin() + static_cast<std::ptrdiff_t>(place));
  }
  void add(std::size_t last, std::size_t first, std::size_t count, std::size_t to) const {
    const auto sums = results[to].as<double>(count);
    std::ranges::fill(sums, 0.0);
    for (std::size_t r = 0; r < last; ++r) {
      const auto input = inputs[r].as<double>(first + count);
      for (std::size_t i = 0; i < count; ++i) sums[i] += input[first + i];
    }
  }

  void perform() const {
    const auto counts = counts_of(one, ranks);
    const std::size_t all = elements(one);
    std::size_t begin = 0;
    for (std::size_t r = 0; r < ranks; begin += counts[r], ++r) {
      switch (one.what) {
        case operation::broadcast:
          if (r > 0) move(0, 0, all, r, 0);
          break;
        case operation::scatter:
          move(0, begin, counts[r], r, 0);
          break;
        case operation::gather:
          move(r, 0, counts[r], 0, begin);
          break;
        case operation::all_gather:
        case operation::all_gather_v:
          for (std::size_t to = 0; to < ranks; ++to) move(r, 0, counts[r], to, begin);
          break;
        case operation::all_to_all:
          for (std::size_t to = 0; to < ranks; ++to)
            move(r, to * counts[r], counts[r], to, r * counts[r]);
          break;
        case operation::reduce:
          if (r == 0) add(ranks, 0, all, 0);
          break;
        case operation::reduce_scatter:
        case operation::reduce_scatter_v:
          add(ranks, begin, counts[r], r);
          break;
        case operation::all_reduce:
          add(ranks, 0, all, r);
          break;
        case operation::scan:
          add(r + 1, 0, all, r);
          break;
      }
    }
  }
};

TEST(collective_data, accepts_what_the_definition_gives) {
  for (const std::size_t ranks : {1U, 2U, 3U, 8U}) {
    for (const collective& one : all_of(8 * ranks * 37)) {
      const simulation all(one, ranks, 5);
      all.perform();
      for (std::size_t r = 0; r < ranks; ++r) {
        EXPECT_EQ(all.share(r).first_wrong(all.results[r].bytes(), 5), std::nullopt);
      }
    }
  }
}

TEST(collective_data, finds_every_single_wrong_element) {
  constexpr std::size_t ranks = 3;
  for (const collective& one : all_of(8 * ranks * 2)) {
    const simulation all(one, ranks, 5);
    all.perform();
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::byte& changed : all.results[r].bytes()) {
        changed ^= std::byte{1};
        EXPECT_TRUE(all.share(r).first_wrong(all.results[r].bytes(), 5)) << name_of(one.what);
        changed ^= std::byte{1};
      }
    }
  }
}

TEST(collective_data, finds_results_that_were_not_written_or_of_other_input) {
  constexpr std::size_t ranks = 3;
  for (const collective& one : all_of(8 * ranks * 8)) {
    const simulation untouched(one, ranks, 5);
    const simulation old(one, ranks, 4);
    old.perform();
    for (std::size_t r = 0; r < ranks; ++r) {
      if (old.results[r].bytes().empty()) continue;
      EXPECT_TRUE(old.share(r).first_wrong(old.results[r].bytes(), 5)) << name_of(one.what);
      EXPECT_TRUE(untouched.share(r).first_wrong(untouched.results[r].bytes(), 5))
          << name_of(one.what);
    }
  }
}

}  // namespace collective_test
