// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "ranks.hpp"

namespace pleat::testing_ranks {

/// The first ints of a rank.
[[nodiscard]] inline std::vector<int> numbers_of(int rank, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(rank, i);
  return numbers;
}

/// Ints of each rank, in the opposite order of the ranks, with gaps. What nobody writes to is −1.
struct parts {
  std::vector<int> counts, places, data;

  explicit parts(std::vector<int> ints) : counts(std::move(ints)), places(counts.size()) {
    int end = 2;
    for (std::size_t r = counts.size(); r-- > 0;) {
      places[r] = end;
      end += counts[r] + static_cast<int>(r % 2) * 3;
    }
    data.assign(static_cast<std::size_t>(end), -1);
  }
  void fill(const std::function<int(int, std::size_t)>& value) {
    for (std::size_t r = 0; r < counts.size(); ++r) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(counts[r]); ++i) {
        data[static_cast<std::size_t>(places[r]) + i] = value(static_cast<int>(r), i);
      }
    }
  }
  void put(int rank, const std::vector<int>& ints) {
    std::ranges::copy(ints, data.begin() + places[static_cast<std::size_t>(rank)]);
  }
};

/// Numbers of ints of each rank.
[[nodiscard]] inline std::vector<std::vector<int>> irregular(int p) {
  const auto ranks = static_cast<std::size_t>(p);
  std::vector<std::vector<int>> shapes(2, std::vector<int>(ranks, 0));
  shapes[0].back() = 5000;  // one rank has all; of the second shape none has any
  shapes.emplace_back(ranks, 1);
  std::vector<int> counts(ranks);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = r % 3 == 1 ? 0 : static_cast<int>(r) * 37;
  shapes.push_back(counts);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = 30000 >> r;
  shapes.push_back(counts);
  return shapes;
}

}  // namespace pleat::testing_ranks
