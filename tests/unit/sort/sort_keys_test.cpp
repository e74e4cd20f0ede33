// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/sort/keys.hpp>

namespace sort_keys_test {

using namespace pleat::detail::sorting;

static_assert(order_of<int, std::ranges::less> == key_order::ascending);
static_assert(order_of<int, std::less<>> == key_order::ascending);
static_assert(order_of<int, std::less<int>> == key_order::ascending);
static_assert(order_of<int, std::greater<>> == key_order::descending);
static_assert(order_of<int, std::ranges::greater> == key_order::descending);
static_assert(order_of<int, std::less<long>> == key_order::custom);
static_assert(has_word<bool> && has_word<char> && has_word<double> && !has_word<long double>);
static_assert(!has_word<std::string>);

template <class T> class key_maps : public testing::Test {};
using arithmetic = testing::Types<bool, signed char, char16_t, int, unsigned long, float, double>;
TYPED_TEST_SUITE(key_maps, arithmetic);

template <class T> std::vector<T> interesting() {
  using limits = std::numeric_limits<T>;
  std::vector<T> keys{T(0), T(1), limits::lowest(), limits::max()};
  if constexpr (std::is_signed_v<T>) keys.push_back(T(-1));
  if constexpr (std::floating_point<T>) {
    keys.push_back(limits::infinity());
    keys.push_back(-limits::infinity());
    keys.push_back(limits::min());
    keys.push_back(-limits::denorm_min());
    keys.push_back(limits::denorm_min());
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 50; ++i) keys.push_back(static_cast<T>(random()));
  return keys;
}

TYPED_TEST(key_maps, words_are_ordered_as_the_keys_are) {
  using T = TypeParam;
  using U = word_of<T>;
  const auto up = key_map_of<T>(false);
  const auto down = key_map_of<T>(true);
  for (const T a : interesting<T>()) {
    for (const T b : interesting<T>()) {
      const auto x = std::bit_cast<U>(a);
      const auto y = std::bit_cast<U>(b);
      if (a < b) {
        EXPECT_LT(up.to_word(x), up.to_word(y)) << +a << ' ' << +b;
        EXPECT_GT(down.to_word(x), down.to_word(y)) << +a << ' ' << +b;
      }
      EXPECT_EQ(up.from_word(up.to_word(x)), x);
      EXPECT_EQ(down.from_word(down.to_word(x)), x);
    }
  }
}

TEST(key_maps_of_floats, put_nans_last_and_minus_zero_first) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const bool descending : {false, true}) {
    const auto map = key_map_of<float>(descending);
    const auto word = [&](float x) { return map.to_word(bits(x)); };
    for (const float x : {-infinity, -1.0f, -0.0f, 0.0f, 1.0f, infinity}) {
      EXPECT_LT(word(x), word(nan));
      EXPECT_LT(word(x), word(-nan));
    }
    EXPECT_EQ(word(-0.0f) < word(0.0f), !descending);
    EXPECT_EQ(word(descending ? infinity : -infinity), 0u);
  }
}

}  // namespace sort_keys_test
