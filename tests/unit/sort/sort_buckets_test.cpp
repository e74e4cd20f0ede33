// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "key_shapes.hpp"
#include "sort/bucket.hpp"
#include "sort/record_spread.hpp"
#include "unit/every_target.hpp"

namespace sort_buckets_test {

using namespace pleat::detail::sorting;

class sort_buckets : public every_target {};
ON_EVERY_TARGET(sort_buckets);

constexpr bucket_kernel all_kernels[] = {bucket_kernel::vector, bucket_kernel::digits};

template <class U> std::vector<U> words_of(const key_shape& shape, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<U> words(n);
  for (std::size_t i = 0; i < n; ++i)
    words[i] = static_cast<U>(shape.at(random(), i) >> (64 - 8 * sizeof(U)));
  return words;
}

template <class U> void every_kernel_sorts_like_std_sort() {
  for (const std::size_t n : {0, 1, 2, 3, 31, 255, 256, 1000, 4099, 32768}) {
    for (const key_shape& shape : key_shapes) {
      auto words = words_of<U>(shape, n);
      auto expected = words;
      std::ranges::sort(expected);
      for (const bucket_kernel by : all_kernels) {
        std::vector<U> room(n + 1, 77), sorted(n + 1, 77);
        sort_bucket<U>(by, words.data(), n, room.data(), sorted.data(), std::span<const U>(words));
        ASSERT_TRUE(std::ranges::equal(expected, std::span(sorted).first(n)))
            << n << " words by kernel " << static_cast<int>(by);
        ASSERT_EQ(room.back(), 77U);
        ASSERT_EQ(sorted.back(), 77U);
        auto in_place = words;
        sort_bucket<U>(by, in_place.data(), n, room.data(), in_place.data());
        ASSERT_EQ(in_place, expected);
      }
    }
  }
}

TEST_P(sort_buckets, every_kernel_sorts_like_std_sort) {
  every_kernel_sorts_like_std_sort<std::uint32_t>();
  every_kernel_sorts_like_std_sort<std::uint64_t>();
}

template <class U> void every_kernel_sorts_what_is_spread() {
  for (const std::size_t n : {16384, 100003}) {
    for (const bool descending : {false, true}) {
      key_map<U> map = key_map_of<std::make_signed_t<U>>(descending);
      const auto keys = words_of<U>(key_shapes[0], n);
      std::vector<U> expected;
      for (const U key : keys) expected.push_back(map.to_word(key));
      std::ranges::sort(expected);
      for (const bucket_kernel by : all_kernels) {
        std::vector<U> sorted(n);
        ASSERT_TRUE(copy_sorted_by_digits(keys.data(), n, map, by, sorted.data()));
        ASSERT_EQ(sorted, expected);
      }
    }
  }
}

TEST_P(sort_buckets, every_kernel_sorts_what_is_spread) {
  every_kernel_sorts_what_is_spread<std::uint32_t>();
  every_kernel_sorts_what_is_spread<std::uint64_t>();
}

class record_order : public every_target {};
ON_EVERY_TARGET(record_order);

void expect_order(word_order& order, std::vector<std::uint64_t> words) {
  std::vector<std::uint32_t> expected(words.size());
  std::iota(expected.begin(), expected.end(), 0U);
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return words[i]; });
  std::vector<std::uint64_t> packed(words.size()), spare(words.size());
  const std::uint32_t* const found = order.of(words.size(), word_range(words.data(), words.size()),
                                              {words.data(), packed.data(), spare.data()});
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found)) << words.size() << " words";
}

TEST_P(record_order, is_that_of_a_stable_sort) {
  word_order order;  // of one bucket after another
  for (const std::size_t n : {1, 2, 3, 63, 64, 65, 255, 257, 4099, 8192, 32769}) {
    for (const key_shape& shape : key_shapes) {
      auto words = words_of<std::uint64_t>(shape, n);
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

}  // namespace sort_buckets_test
