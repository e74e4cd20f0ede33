// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "key_shapes.hpp"
#include "sort/record_spread.hpp"
#include "unit/every_target.hpp"

namespace record_order_test {

using pleat::detail::sorting::word_order;

class record_order : public every_target {};
ON_EVERY_TARGET(record_order);

void expect_order(word_order& order, std::vector<std::uint64_t> words) {
  std::vector<std::uint32_t> expected(words.size());
  std::iota(expected.begin(), expected.end(), 0U);
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return words[i]; });
  std::vector<std::uint64_t> packed(words.size());
  std::vector<std::uint64_t> spare(words.size());
  const std::uint32_t* const found =
      order.of(words.size(), {words.data(), packed.data(), spare.data()});
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found)) << words.size() << " words";
}

TEST_P(record_order, is_that_of_a_stable_sort) {
  word_order order;  // of one bucket after another
  for (const std::size_t n : {1, 2, 3, 63, 64, 65, 255, 257, 4099, 8192, 32769}) {
    std::mt19937_64 random(n);
    for (const key_shape& shape : key_shapes) {
      std::vector<std::uint64_t> words(n);
      for (std::size_t i = 0; i < n; ++i) words[i] = shape.at(random(), i);
      expect_order(order, words);
      for (auto& w : words) w >>= 32;
      expect_order(order, words);
    }
  }
}

/// Words of a group differ in their lowest bits, which no packed word holds.
TEST_P(record_order, tells_words_apart_by_their_lowest_bits) {
  word_order order;
  for (const std::size_t groups : {1, 2, 100, 4000}) {
    std::mt19937_64 random(groups);
    std::vector<std::uint64_t> words(8000);
    for (auto& w : words) w = (random() % groups << 50) * 5 + random() % 7 - (random() % 2 << 63);
    expect_order(order, words);
  }
}

}  // namespace record_order_test
