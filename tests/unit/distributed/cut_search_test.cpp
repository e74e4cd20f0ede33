// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/distributed/merge_program.hpp>

#include "seed.hpp"

namespace cut_search_test {

using pleat::interval;
using pleat::detail::distribution::cut_search;
using pleat::detail::distribution::sample_places;

/// Narrows until it is done; returns the number of rounds.
template <class Order>
std::size_t search_on(cut_search& search, const std::vector<std::vector<int>>& sequences,
                      std::size_t most, const Order& less) {
  std::size_t rounds = 0;
  for (; !search.done(); ++rounds) {
    std::vector<std::vector<int>> samples(sequences.size());
    std::vector<std::span<const int>> shown;
    std::size_t possible = 0, left = 0;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
      const sample_places places(search.of(s), most);
      possible += search.of(s).size();
      for (std::size_t i = 0; i < places.count(); ++i)
        samples[s].push_back(sequences[s].at(places[i]));
      shown.emplace_back(samples[s]);
    }
    search.narrow(shown, most, less);
    for (std::size_t s = 0; s < sequences.size(); ++s) left += search.of(s).size();
    EXPECT_LE(left, possible <= most ? 0 : 5 * possible / most + 1);
    if (testing::Test::HasFailure()) break;
  }
  return rounds;
}

std::vector<interval<>> whole(const std::vector<std::vector<int>>& sequences) {
  std::vector<interval<>> all;
  for (const auto& one : sequences) all.push_back({0, one.size()});
  return all;
}

TEST(cut_search, finds_the_least_elements_in_the_order_of_sequences) {
  std::mt19937 random(static_cast<std::uint32_t>(seed()));
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 6, most = 16 + random() % 20;
    const int values = std::vector<int>{1, 3, 100, 1 << 30}[random() % 4];
    std::vector<std::vector<int>> sequences(count);
    std::vector<std::tuple<int, std::size_t, std::size_t>> all;
    for (std::size_t s = 0; s < count; ++s) {
      sequences[s].resize(std::vector<std::size_t>{0, 1, 50, 3000}[random() % 4]);
      for (int& x : sequences[s]) x = static_cast<int>(random() % static_cast<unsigned>(values));
      std::ranges::sort(sequences[s]);
      for (std::size_t i = 0; i < sequences[s].size(); ++i) all.emplace_back(sequences[s][i], s, i);
    }
    std::ranges::sort(all);
    for (int i = 0; i < 5; ++i) {
      const std::size_t before = i == 0 ? 0 : i == 1 ? all.size() : random() % (all.size() + 1);
      cut_search search(before, whole(sequences));
      search_on(search, sequences, most, std::less<>());
      std::vector<std::size_t> cuts(count, 0);
      for (std::size_t j = 0; j < before; ++j) ++cuts[std::get<1>(all[j])];
      for (std::size_t s = 0; s < count; ++s) {
        ASSERT_EQ(search.of(s).first, cuts[s]);
        ASSERT_EQ(search.of(s).last, cuts[s]);
      }
    }
  }
}

TEST(cut_search, ends_with_as_many_elements_whatever_the_order_answers) {
  std::mt19937 random(static_cast<std::uint32_t>(seed()));
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<int>> sequences(1 + random() % 5);
    std::size_t all = 0;
    for (auto& one : sequences) all += (one.resize(random() % 2000), one.size());
    const std::size_t before = random() % (all + 1);
    cut_search search(before, whole(sequences));
    search_on(search, sequences, 16, [&](int, int) { return random() % 2 == 0; });
    std::size_t found = 0;
    for (std::size_t s = 0; s < sequences.size(); ++s) found += search.of(s).first;
    ASSERT_EQ(found, before);
  }
}

}  // namespace cut_search_test
