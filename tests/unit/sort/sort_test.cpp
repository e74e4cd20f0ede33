// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/machine.hpp>

#include "strict_machine.hpp"

namespace sort_test {

pleat::sort_options with(std::size_t vps) { return {.vps = vps}; }

enum class pattern { random, few, equal, ascending, descending, organ_pipe, almost_sorted };
constexpr std::array patterns{pattern::random,       pattern::few,        pattern::equal,
                              pattern::ascending,    pattern::descending, pattern::organ_pipe,
                              pattern::almost_sorted};

template <class T> std::vector<T> make_keys(std::size_t n, pattern which, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t value = random();
    switch (which) {
      case pattern::random:
        break;
      case pattern::few:
        value %= 3;
        break;
      case pattern::equal:
        value = 7;
        break;
      case pattern::ascending:
        value = i;
        break;
      case pattern::descending:
        value = n - i;
        break;
      case pattern::organ_pipe:
        value = std::min(i, n - i);
        break;
      case pattern::almost_sorted:
        value = i ^ (value % 64 == 0 ? 8u : 0u);
        break;
    }
    if constexpr (std::is_floating_point_v<T>)
      keys[i] = static_cast<T>(static_cast<std::int64_t>(value)) / T(7);
    else
      keys[i] = static_cast<T>(value);
  }
  return keys;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

template <class T> class sort_of : public testing::Test {};
// A type of each width; sort_keys_test has the order of others.
using arithmetic = testing::Types<std::uint8_t, std::int16_t, float, std::int64_t>;
TYPED_TEST_SUITE(sort_of, arithmetic);

TYPED_TEST(sort_of, arithmetic_keys_equals_std_sort) {
  using T = TypeParam;
  auto machine = strict_machine(2);
  for (const std::size_t n : {0, 1, 2, 5, 16, 61, 1009, 20011}) {
    for (const pattern which : patterns) {
      const auto keys = make_keys<T>(n, which, n);
      auto up = keys;
      std::sort(up.begin(), up.end());
      const std::vector<T> down(up.rbegin(), up.rend());
      for (const std::size_t vps : {1, 2, 3, 7, 16}) {
        auto sorted = keys;
        pleat::sort(machine, sorted, {}, with(vps));
        ASSERT_TRUE(same_bits(sorted, up)) << n << " keys, " << vps << " VPs";
        sorted = keys;
        pleat::sort(machine, sorted, std::greater<>(), with(vps));
        ASSERT_TRUE(same_bits(sorted, down)) << n << " keys, " << vps << " VPs, descending";
      }
    }
  }
}

// Powers of two no greater than the number of keys go through every depth of the recursion.
TEST(sort, takes_any_number_of_virtual_processors) {
  auto machine = strict_machine(2);
  for (const std::size_t n : {1, 2, 3, 7, 16, 64, 100, 257, 1024, 3001}) {
    const auto keys = make_keys<std::uint64_t>(n, pattern::random, n);
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    for (const std::size_t vps : {1,  2,  3,  4,  5,  6,  7,  8,  9,   11,  13,  15,
                                  16, 17, 22, 31, 32, 47, 64, 72, 128, 256, 512, 1024}) {
      auto sorted = keys;
      pleat::sort(machine, sorted, {}, with(vps));
      ASSERT_EQ(sorted, expected) << n << " keys, " << vps << " VPs";
      sorted = keys;
      pleat::sort(
          machine, sorted, [](auto a, auto b) { return a < b; }, with(vps));
      ASSERT_EQ(sorted, expected) << n << " keys, " << vps << " VPs, own comparator";
    }
  }
}

TEST(sort, gives_the_same_on_any_number_of_processors) {
  for (const unsigned processors : {1u, 3u, 8u}) {
    auto machine = strict_machine(processors);
    for (const std::size_t n : {std::size_t{64}, std::size_t{4099}, std::size_t{60003}}) {
      const auto keys = make_keys<double>(n, pattern::random, n);
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      for (const std::size_t vps : {2, 3, 8, 13, 32, 64}) {
        auto sorted = keys;
        pleat::sort(machine, sorted, {}, with(vps));
        ASSERT_TRUE(same_bits(sorted, expected)) << n << " keys, " << vps << " VPs, " << processors;
      }
    }
  }
}

template <class T> void expect_the_documented_order(bool descending) {
  using limits = std::numeric_limits<T>;
  auto machine = strict_machine(2);
  std::mt19937_64 random(11);
  for (const std::size_t n : {9, 1000, 30011}) {
    std::vector<T> keys(n);
    for (T& x : keys) {
      const std::array<T, 8> special{T(0),
                                     -T(0),
                                     limits::quiet_NaN(),
                                     -limits::quiet_NaN(),
                                     limits::infinity(),
                                     -limits::infinity(),
                                     T(1),
                                     -T(1)};
      const std::size_t choice = random() % 12;
      x = choice < special.size() ? special[choice] : static_cast<T>(random()) - T(1e19);
    }
    std::vector<T> first;
    for (const std::size_t vps : {1, 2, 3, 8}) {
      auto sorted = keys;
      if (descending)
        pleat::sort(machine, sorted, std::ranges::greater(), with(vps));
      else
        pleat::sort(machine, sorted, std::less<T>(), with(vps));
      const auto nans = std::find_if(sorted.begin(), sorted.end(), [](T x) { return x != x; });
      EXPECT_TRUE(std::all_of(nans, sorted.end(), [](T x) { return x != x; }));
      EXPECT_EQ(std::count_if(keys.begin(), keys.end(), [](T x) { return x != x; }),
                sorted.end() - nans);
      EXPECT_TRUE(std::is_sorted(sorted.begin(), nans, [&](T a, T b) {
        if (a == 0 && b == 0)
          return std::signbit(a) != std::signbit(b) && std::signbit(a) != descending;
        return descending ? b < a : a < b;
      }));
      if constexpr (sizeof(T) <= 8) {  // the padding of long double is anybody's
        if (first.empty()) first = sorted;
        EXPECT_TRUE(same_bits(sorted, first)) << vps;
      }
    }
  }
}

TEST(sort, places_nans_last_and_tells_the_zeros_apart) {
  for (const bool descending : {false, true}) {
    expect_the_documented_order<float>(descending);
    expect_the_documented_order<double>(descending);
    expect_the_documented_order<long double>(descending);
  }
}

TEST(sort, takes_spans_arrays_bools_and_function_pointers) {
  auto machine = strict_machine(2);
  std::vector<int> v{5, 3, 4, 1};
  pleat::sort(machine, std::span(v).subspan(1));
  EXPECT_EQ(v, (std::vector{5, 1, 3, 4}));
  int a[] = {3, 1, 2};
  pleat::sort(machine, a);
  EXPECT_EQ(a[0], 1);
  std::array<bool, 5> bools{true, false, true, false, true};
  pleat::sort(machine, bools, {}, with(2));
  EXPECT_EQ(bools, (std::array{false, false, true, true, true}));
  pleat::sort(
      machine, bools, [](bool x, bool y) { return x && !y; }, with(2));
  EXPECT_EQ(bools, (std::array{true, true, true, false, false}));
  bool (*const further)(const double&, const double&) = [](const double& x, const double& y) {
    return x * x > y * y;
  };
  std::vector<double> numbers{1, -3, 2};
  pleat::sort(machine, numbers, further, with(3));
  EXPECT_EQ(numbers, (std::vector<double>{-3, 2, 1}));
}

}  // namespace sort_test
