// SPDX-License-Identifier: Apache-2.0
// The counted messages of sorts, beside an oracle that finds for each element in whose block it was
// and in whose range of the result it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/argsort.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>

#include "ranks_traffic.hpp"
#include "seed.hpp"

namespace sort_counts_test {

// The distribution, also where the vectors of this processor sort faster. Before the first choice.
const bool by_digits = setenv("PLEAT_KERNELS", "sort=digits", 0) == 0;

std::mt19937_64& random() {
  static std::mt19937_64 numbers(seed());
  return numbers;
}

/// Takes from the messages what VPs tell each other: whether blocks are in order, to VP 0 with the
/// first key of each block to the one before, and the answer; and the counts of buckets, of which
/// all pairs exchange as many. What is left are elements.
void take_words_about_elements(const pleat::cost_trace& costs, square& messages) {
  const std::size_t v = costs.v();
  ASSERT_EQ(costs.supersteps().size(), 4u);
  const std::uint64_t counts = costs.supersteps()[2].h.back() / (v - 1);
  for (std::size_t from = 0; from < v; ++from) {
    for (std::size_t to = 0; to < v; ++to) {
      if (from == to) continue;
      const std::uint64_t told = counts + (to == 0) + (from == 0) + (to + 1 == from);
      ASSERT_GE(messages[from][to], told);
      messages[from][to] -= told;
    }
  }
}

/// `place[i]` is where element i has come to.
void expect_what_crosses(const pleat::run_report& report, const std::vector<std::size_t>& place) {
  ASSERT_TRUE(report.algorithm.starts_with("distribution")) << report.algorithm;
  ASSERT_TRUE(report.costs.has_value());
  const std::size_t n = place.size(), v = report.vps;
  square messages = counted_between(*report.costs);
  take_words_about_elements(*report.costs, messages);
  if (testing::Test::HasFatalFailure()) return;
  std::vector<std::size_t> block(v + 1);
  for (std::size_t r = 0; r <= v; ++r) block[r] = n * r / v;
  // The range of a VP holds what it was sent, and what it has not sent of its block.
  std::vector<std::size_t> range(v + 1);
  for (std::size_t q = 0; q < v; ++q) {
    std::size_t held = block[q + 1] - block[q];
    for (std::size_t r = 0; r < v; ++r) held += messages[r][q] - messages[q][r];
    EXPECT_LE(held, n / v + n / v / 4 + 1);
    range[q + 1] = range[q] + held;
  }
  ASSERT_EQ(range[v], n);
  square crossed(v, std::vector<std::uint64_t>(v));
  for (std::size_t r = 0; r < v; ++r) {
    for (std::size_t i = block[r]; i < block[r + 1]; ++i) {
      const auto end = std::ranges::upper_bound(range, place[i]);
      const auto q = static_cast<std::size_t>(end - range.begin()) - 1;
      if (q != r) ++crossed[r][q];
    }
  }
  EXPECT_EQ(messages, crossed);
}

struct chance {
  std::size_t vps = 2 + random()() % 6;
  std::size_t n;
  pleat::machine counting{{.trace = pleat::tracing{.processors = vps}}};

  explicit chance(std::size_t least) : n(vps * least + random()() % (vps * least)) {}
};

/// Different numbers, evenly or normally distributed.
template <class T> std::vector<T> different_numbers(std::size_t n, bool even) {
  std::normal_distribution<double> normal(1e9, 1e8);
  std::set<T> numbers;
  while (numbers.size() < n)
    numbers.insert(static_cast<T>(even ? static_cast<double>(random()() >> 33) : normal(random())));
  std::vector<T> shuffled(numbers.begin(), numbers.end());
  std::ranges::shuffle(shuffled, random());
  return shuffled;
}

template <class T> std::vector<std::size_t> places(const std::vector<T>& keys) {
  std::vector<std::size_t> order(keys.size()), place(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

template <class T> void words_are_counted() {
  for (int round = 0; round < 2; ++round) {
    chance at(std::size_t{1} << 14);
    const bool even = round % 2 == 0;
    auto keys = different_numbers<T>(at.n, even);
    const auto place = places(keys);
    const auto report = pleat::sort(at.counting, keys, {}, {.vps = at.vps});
    if (!even && report.algorithm == "Columnsort of words") continue;  // the sample was a bad one
    expect_what_crosses(report, place);
  }
}

TEST(counts_of_sort, of_words_are_the_elements_that_cross) {
  words_are_counted<std::uint64_t>();
  words_are_counted<std::int32_t>();
  words_are_counted<float>();
  words_are_counted<double>();
}

struct record {
  std::uint32_t key;
  std::uint32_t others[4];
};

TEST(counts_of_sort, of_records_are_the_elements_that_cross) {
  for (int round = 0; round < 4; ++round) {
    chance at(std::size_t{1} << 11);
    std::vector<std::uint32_t> keys(at.n);
    for (auto& key : keys) key = static_cast<std::uint32_t>(random()() % (4 * at.n));  // some equal
    const auto place = places(keys);
    std::vector<record> records;
    for (const auto key : keys) records.push_back({key, {}});
    expect_what_crosses(pleat::sort(at.counting, records, {}, &record::key, {.vps = at.vps}),
                        place);
    auto by = keys;
    std::vector<std::uint64_t> values(at.n);
    expect_what_crosses(
        pleat::sort_by_key(at.counting, by, values, std::ranges::less(), {.vps = at.vps}), place);
    std::vector<std::uint32_t> order(at.n);
    expect_what_crosses(pleat::argsort_to(at.counting, keys, order, {}, {.vps = at.vps}), place);
  }
}

TEST(counts_of_sort, where_nothing_moves_are_words_about_blocks) {
  chance at(std::size_t{1} << 14);
  std::vector<std::uint64_t> keys(at.n);
  std::iota(keys.begin(), keys.end(), 0U);
  const auto report = pleat::sort(at.counting, keys, {}, {.vps = at.vps});
  EXPECT_EQ(report.algorithm, "words in order");
  EXPECT_EQ(report.costs.value().messages(), 3 * (at.vps - 1));
}

TEST(counts_of_sort, are_refused_where_values_are_read_in_common_memory) {
  chance at(1000);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < at.n; ++i) names.push_back(std::to_string(random()()));
  const auto report = pleat::sort(at.counting, names, {}, {.vps = at.vps});
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(report.algorithm, "Columnsort of indices");
  EXPECT_FALSE(report.costs.has_value());
  EXPECT_NE(report.uncounted, "");
}

}  // namespace sort_counts_test
