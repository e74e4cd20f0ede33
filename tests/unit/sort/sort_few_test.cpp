// SPDX-License-Identifier: Apache-2.0
// Sorts of so few numbers that they are done at once, without a run.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/oblivious/sort.hpp>

namespace sort_few_test {

using namespace pleat::detail::sorting;

TEST(sort_by_network, sorts_all_sequences_of_zeros_and_ones) {  // and hence all others
  for (std::size_t n = 0; n <= 8; ++n) {
    for (unsigned bits = 0; bits < 1u << n; ++bits) {
      std::vector<std::uint8_t> words(n + 1, 7);
      for (std::size_t i = 0; i < n; ++i) words[i] = bits >> i & 1;
      sort_by_network(words.data(), n, words.data());
      ASSERT_TRUE(std::is_sorted(words.begin(), words.begin() + static_cast<long>(n))) << bits;
      ASSERT_EQ(std::count(words.begin(), words.begin() + static_cast<long>(n), 1),
                std::popcount(bits));
      ASSERT_EQ(words[n], 7) << "beyond the end";
    }
  }
}

// Numbers as the bits of a key, many of them equal, the extreme ones among them.
template <class T> std::vector<T> some_numbers(std::size_t n, std::mt19937_64& random) {
  std::vector<T> numbers(n);
  for (T& x : numbers) {
    const std::uint64_t r = random();
    switch (r % 8) {
      case 0:
        x = std::numeric_limits<T>::max();
        break;
      case 1:
        x = std::numeric_limits<T>::lowest();
        break;
      case 2:
        x = T(r % 3);
        break;
      default:
        if constexpr (std::is_floating_point_v<T>)
          x = static_cast<T>(static_cast<std::int64_t>(r)) / 3;
        else
          x = static_cast<T>(r >> 8);
    }
  }
  return numbers;
}

template <class T> void sorts_any_few() {
  std::mt19937_64 random(sizeof(T) + std::is_signed_v<T>);
  pleat::machine on({.processors = 1});
  for (std::size_t n = 0; n <= 2 * few_keys + 3; ++n) {
    for (int round = 0; round < 5; ++round) {
      const std::vector<T> numbers = some_numbers<T>(n, random);
      std::vector<T> up = numbers, expected = numbers;
      std::ranges::sort(expected);
      pleat::sort(on, up);
      ASSERT_EQ(up, expected) << n;
      std::vector<T> again = numbers;
      pleat::sort(again);  // on no machine
      ASSERT_EQ(again, expected) << n;
      std::vector<T> down = numbers;
      pleat::stable_sort(on, down, std::greater());
      std::ranges::reverse(expected);
      ASSERT_EQ(down, expected) << n;
    }
  }
}

TEST(sort_few, sorts_numbers_of_any_type) {
  sorts_any_few<std::uint8_t>();
  sorts_any_few<std::int16_t>();
  sorts_any_few<std::int64_t>();
  sorts_any_few<float>();
}

TEST(sort_few, puts_nans_last_and_zeros_in_order) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t n = 4; n <= few_keys + 4; n += 3) {
    std::vector<double> numbers(n, 1.0);
    numbers[0] = -nan;
    numbers[1] = 0.0;
    numbers[n - 1] = nan;
    numbers[n - 2] = -0.0;
    pleat::sort(numbers);
    EXPECT_TRUE(std::signbit(numbers[0]));
    EXPECT_FALSE(std::signbit(numbers[1]));
    EXPECT_EQ(numbers[1], 0.0);
    EXPECT_TRUE(numbers[n - 1] != numbers[n - 1] && numbers[n - 2] != numbers[n - 2]);
    pleat::sort(numbers, std::greater());
    EXPECT_TRUE(numbers[n - 1] != numbers[n - 1] && numbers[n - 2] != numbers[n - 2]);
    EXPECT_TRUE(std::signbit(numbers[n - 3]));
  }
}

TEST(sort_few, does_not_wait_for_a_machine_that_is_busy) {
  pleat::machine on({.processors = 1});
  const pleat::machine::turn mine(on, pleat::machine::use::scratch);
  std::vector<int> numbers{3, 1, 2};
  EXPECT_NO_THROW(pleat::sort(on, numbers));
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3}));
}

}  // namespace sort_few_test
